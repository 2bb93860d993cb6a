@testable import CommandLineTool
import TestSupport
import Testing

@Suite(.computation) struct DoctorHelpTextTests {
  @Test func `the help of doctor says what it looks at, and that it only looks`() async {
    #expect(
      await Outcome.of("doctor", "--help").output == """
        usage: footbridge doctor [--gps SOURCE] [--offline] [--json] [--config FILE]
                                 [--store FILE]

        Looks at everything that a recording depends on: the Bluetooth service and its
        adapters, rights, receivers and gpsd, clocks, the store and its disk,
        destinations, the broker of the fleet, the service, the power supply and the
        messages of the kernel. Prints a line for each finding, faults first, with its
        remedy below it.

        It takes at most five seconds and changes nothing. To measure the disk it writes
        a small file beside the store, and removes it again. It ends with 1 if there is
        a fault, and with 0 if there are warnings only.

        Run it as the user who records: root never sees problems with rights. But only
        root sees every program that has a port open.

        Example: footbridge doctor --gps /dev/gps0

        options:
              --gps SOURCE   the source of positions that will be recorded (default:
                             that of the configuration, or look for one)
              --offline      ask neither destinations nor brokers
              --json         print the findings as JSON
              --config FILE  the configuration file
                             (default: /etc/footbridge/footbridge.conf;
                             environment: FOOTBRIDGE_CONFIG)
              --store FILE   the store
                             (default: that of the configuration, or else your own;
                             environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `source, store and what to leave out are read`() async {
    #expect(
      await Outcome.of("doctor", "--gps", "/dev/gps0@4800", "--offline", "--store", "/w.sqlite")
        .output == "gps /dev/gps0@4800, offline true, json false, store /w.sqlite\n")
    #expect(
      await Outcome.of("doctor", "--offlin")
        == .misunderstood(
          """
          error: unknown option '--offlin'
                 did you mean '--offline'?
                 try 'footbridge doctor --help'
          """))
  }
}
