import TestSupport
import Testing

/// The help of `setup`, `forecast` and `report`, word for word.
@Suite(.computation) struct SetupHelpTextTests {
  @Test func `the help of setup tells every question and its option`() async {
    #expect(
      await Outcome.of("setup", "--help").output == """
        usage: footbridge setup [--name TEXT] [--adapter ADDRESS]...
                                [--board NAME=ADDRESS]... [--placement NAME=PLACE]...
                                [--sensor SENSOR]... [--interval MS] [--gps SOURCE]
                                [--when WHEN] [--hours HOURS] [--path FILE]
                                [--destination NAME]... [--http URL] [--folder PATH]
                                [--token-file FILE] [--enable] [--yes] [--config FILE]

        Asks for adapters, boards (the strongest first, each blinks to be recognised),
        their names and where they are worn, sensors and rates with a forecast of
        batteries and disk, the receiver, a destination, which it tries, and the time of
        recording. An empty answer takes what is in brackets: the present configuration,
        or what was found.

        At the end it shows all changes and asks before it writes the file. Then it
        offers to enable the service. At Ctrl-C or the end of the input nothing is
        written, and 'footbridge config restore' takes a change back.

        For scripts each question has an option, and --yes asks nothing. Options have
        the names of the configuration's keys.

        Example:
          footbridge setup --yes --board left=C8:4B:AA:97:50:05 \\
            --placement 'left=left ankle'

        options:
              --name TEXT             the name of this computer
              --adapter ADDRESS       use this Bluetooth adapter; may be repeated
                                      (default: all that are on)
              --board NAME=ADDRESS    record this board; may be repeated
              --placement NAME=PLACE  where a board is worn; may be repeated
              --sensor SENSOR         measure this signal; may be repeated
              --interval MS           the Bluetooth connection interval
              --gps SOURCE            the source of positions
              --when WHEN             record always, at hours, while somebody walks or
                                      on command
              --hours HOURS           the hours for --when hours
              --path FILE             the store
              --destination NAME      send to this destination, or 'all' or 'none'; may
                                      be repeated
              --http URL              make that destination known: this endpoint
              --folder PATH           make that destination known: this folder
              --token-file FILE       the file with the token of the new endpoint
              --enable                enable and start the service at the end
              --yes                   ask nothing, and keep values that no option gives
              --config FILE           the configuration file
                                      (default: /etc/footbridge/footbridge.conf;
                                      environment: FOOTBRIDGE_CONFIG)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of forecast says that its figures are estimates`() async {
    #expect(
      await Outcome.of("forecast", "--help").output == """
        usage: footbridge forecast [--sensor SENSOR]... [--interval MS] [--boards N]
                                   [--model MODEL] [--json] [--socket FILE]
                                   [--config FILE] [--store FILE]

        Tells, for the settings of the configuration or others, how many hours the
        batteries of the boards last, how many bytes a day are stored, sent and written,
        and for how long the disk and its card can take them.

        The charge of a battery is that of the running gateway, or of the last
        recording. All figures are estimates: those of batteries from the currents that
        the maker states, those of bytes from recordings. A range says how far the truth
        may be off.

        Example: footbridge forecast --sensor quaternion@100 --boards 4

        options:
              --sensor SENSOR  count with this signal; may be repeated (default: those
                               of the configuration)
              --interval MS    count with this connection interval
                               (default: that of the configuration)
              --boards N       count with so many boards
                               (default: those of the configuration, or one)
              --model MODEL    their model: S, RL, MMR, MMC (MetaMotion), R, RG, RPro,
                               C, CPro (MetaWear), MetaDetector, ENV (MetaEnvironment),
                               MetaTracker (default: S)
              --json           print the forecast as JSON
              --socket FILE    the socket of the running gateway
                               (default: the one of the configuration file)
              --config FILE    the configuration file
                               (default: /etc/footbridge/footbridge.conf;
                               environment: FOOTBRIDGE_CONFIG)
              --store FILE     the store
                               (default: that of the configuration, or else your own;
                               environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of report tells the content and the omissions`() async {
    #expect(
      await Outcome.of("report", "--help").output == """
        usage: footbridge report [--output FILE] [--offline] [--socket FILE]
                                 [--config FILE] [--store FILE]

        Writes a text file with what the doctor finds, the status of the gateway,
        versions, the configuration, boards and destinations, the kernel's messages
        about Bluetooth, serial ports, voltage and cards, and the newest 2,000 lines
        each of bluetoothd's and the service's log. It works without a running gateway.
        A section that cannot be written says why.

        Passwords, tokens, keys, e-mail addresses, the parts of addresses that may hold
        secrets, the wearer and fixed places are left out. Addresses and names of boards
        stay. Read the file before you send it: only this user can, and no file is ever
        replaced.

        Run it with sudo to have the logs in it.

        options:
              --output FILE  write it there, or to standard output with '-'
                             (default: footbridge-report-HOST-TIME.txt)
              --offline      do not ask the destinations
              --socket FILE  the socket of the running gateway
                             (default: the one of the configuration file)
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
}
