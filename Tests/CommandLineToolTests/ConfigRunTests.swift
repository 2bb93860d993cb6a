import Foundation
import LinuxSystem
import TestSupport
import Testing

@testable import CommandLineTool
@testable import Terminal

/// `footbridge config` with its own configuration file, and the exact output.
@Suite(.computation) struct ConfigRunTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/footbridge.conf" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func put(_ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  private func run(_ arguments: String...) async -> Outcome {
    await Outcome.of(
      ["config"] + arguments, environment: ["FOOTBRIDGE_CONFIG": path], commands: Commands.all)
  }

  private static let walks = """
    [board left]
    address = C8:4B:AA:97:50:05
    [board right]
    address = C8:4B:AA:98:51:08
    placement = right ankle
    [receiver]
    gps = /dev/no-gps0
    [recording]
    when = hours
    hours = 07:00-19:00
    [upload]
    destination = home
    """

  @Test func `'config' reports a valid configuration file together with its effect`() async throws {
    try put(Self.walks)
    #expect(
      await run("check")
        == Outcome(
          status: 0,
          output: """
            hint: \(path):7: no receiver at /dev/no-gps0 at the moment
                   plug it in; 'footbridge gps' finds receivers
            \(path) is valid: 2 boards, 2 sensors, positions from /dev/no-gps0, records at \
            07:00-19:00, uploads to home.

            """))
    #expect(
      await run("check", "--json").output
        == #"{"file":"\#(path)","valid":true,"faults":[],"hints":[{"line":7,"key":"receiver.gps","message":"no receiver at /dev/no-gps0 at the moment","remedy":"plug it in; 'footbridge gps' finds receivers"}],"summary":"2 boards, 2 sensors, positions from /dev/no-gps0, records at 07:00-19:00, uploads to home"}"#
        + "\n")
    try put("[board x]\naddress = C8:4B:AA:97:50:05\n[recording]\nhours = 07:00-19:00\n")
    #expect(
      await run("check")
        == Outcome(
          status: 0,
          output: """
            hint: \(path):4: 'hours' has no effect without 'when = hours'
                   set 'when = hours', or remove 'hours'
            \(path) is valid: 1 board, 2 sensors, no positions, always records, uploads to all \
            destinations.

            """))
  }

  @Test func `a missing receiver or destination is reported as a hint`() async throws {
    let store = folder.path + "/walks.sqlite"
    let added = await Outcome.of(
      "destination", "add", "office", "--folder", folder.path, "--store", store,
      commands: Commands.all)
    #expect(added.status == 0, "\(added.errors)")
    try put(
      "[board x]\naddress = C8:4B:AA:97:50:05\n[receiver]\ngps = /dev/no-gps0 # mine\n"
        + "[store]\npath = \(store)\n[upload]\ndestination = ofice\ndestination = lab\n")
    let outcome = await run("check")
    #expect(outcome.status == 0)
    #expect(
      outcome.output.hasPrefix(
        """
        hint: \(path):4: no receiver at /dev/no-gps0 # mine at the moment
               after a value, a comment begins with ' ;'
        hint: \(path):8: the store has no destination 'ofice'
               did you mean 'office'?
        hint: \(path):8: the store has no destination 'lab'
               add it with 'footbridge destination add lab --store \(store)' and --http, --firestore or --folder

        """), "\(outcome.output)")
  }

  @Test func `all faults are reported together and counted`() async throws {
    try put("[sensors]\nsensr = acceleration\n[recording]\nseal = 0\n")
    #expect(
      await run("check")
        == Outcome(
          status: 2,
          output: """
            \(path):2: unknown key 'sensr' in [sensors]
                   did you mean 'sensor'?
            \(path):4: 'seal' cannot be '0'
                   MINUTES is a number above 0 and at most 1440
            hint: \(path): no boards are configured, so nothing is recorded
                   add [board NAME] with its address, which 'footbridge scan' shows
            2 faults

            """))
    let json = await run("check", "--json")
    #expect(json.status == 2)
    #expect(
      json.output.hasPrefix(
        #"{"file":"\#(path)","valid":false,"faults":[{"line":2,"key":"sensors.sensr","message":"unknown key 'sensr' in [sensors]","remedy":"did you mean 'sensor'?"},{"line":4,"key":"recording.seal","#
      ), "\(json.output)")
    #expect(json.output.hasSuffix(#""summary":null}"# + "\n"))
  }

  @Test
  func `a missing configuration file is reported as a fault instead of being replaced by defaults`()
    async
  {
    #expect(
      await run("check")
        == Outcome(
          status: 2,
          output: """
            \(path): the file does not exist
                   specify another file with --config FILE, or create it with: footbridge config example > \(path)
            1 fault

            """))
    #expect(
      await Outcome.of(
        ["config", "check", "--config", "/nowhere/f"], environment: ["FOOTBRIDGE_CONFIG": path],
        commands: Commands.all
      ).output.hasPrefix("/nowhere/f: the file does not exist\n"))
  }

  @Test func `each key is explained with its value and the value's origin`() async throws {
    try put(Self.walks)
    #expect(
      await run("explain")
        == Outcome(
          status: 0,
          output: """
            key                         value                                          from
            gateway.name                the host name                                  default
            gateway.adapter             all that are powered on                        default
            gateway.recovery            usb                                            default
            board left.address          C8:4B:AA:97:50:05                              line 2
            board left.placement        none                                           default
            board right.address         C8:4B:AA:98:51:08                              line 4
            board right.placement       right ankle                                    line 5
            sensors.sensor              acceleration@100:8, angular_velocity@100:2000  default
            sensors.interval            depends on the number of boards                default
            receiver.gps                /dev/no-gps0                                   line 7
            recording.when              hours                                          line 9
            recording.hours             07:00-19:00                                    line 10
            recording.detector          gateway                                        default
            recording.lead              45 seconds                                     default
            recording.pre-roll          120 seconds                                    default
            recording.without-receiver  wait                                           default
            recording.seal              15 minutes                                     default
            recording.at-risk           1 s                                            default
            recording.session-hours     24 hours                                       default
            recording.note              none                                           default
            recording.participant       none                                           default
            recording.wearer            none                                           default
            recording.hazard            none                                           default
            store.path                  /var/lib/footbridge/recording.sqlite           default
            upload.destination          home                                           line 12
            upload.when                 always                                         default
            definitions.pull            daily                                          default
            definitions.from            all in the store                               default
            sharing.live-location       none                                           default
            sharing.broker              none                                           default
            sharing.fleet               none                                           default
            sharing.password-file       none                                           default
            sharing.ca-file             those of the system                            default
            sharing.share               status                                         default
            sharing.when                always                                         default
            sharing.hours               none                                           default
            sharing.least-distance      10 metres                                      default
            sharing.least-interval      5 seconds                                      default
            sharing.expires             60 seconds                                     default
            status.socket               /run/footbridge/status.sock                    default
            status.prometheus           none                                           default
            web.listen                  none                                           default
            web.name                    none                                           default
            web.certificate             none                                           default
            web.certificate-key         none                                           default
            web.tiles                   none                                           default
            web.routes                  none                                           default

            """))
    #expect(
      await run("explain", "recording.hours").output == """
        [recording] hours
        The hours of the local day during which the gateway records, with 'when =
        hours'.
          now      07:00-19:00, set on line 10 of \(path)
          default  none
          example  hours = 07:00-19:00
          value    HOURS is a range of hours, as in 20:00-06:00

        """)
    #expect(
      await run("explain", "placement").output == """
        [board NAME] placement
        Where the board is worn, in your own words.
          left            none
          right           right ankle, set on line 5 of \(path)
          default         none
          example         placement = left ankle
          value           TEXT is text on one line, of at most 2000 characters
          in definitions  boards.placement

        """)
    #expect(
      await run("explain", "recording.hours", "--json").output
        == #"[{"key":"recording.hours","name":null,"values":["07:00-19:00"],"from":"file","lines":[10],"pulledFrom":null,"pulledAt":null,"faulty":false,"unit":null,"default":[],"repeatable":false,"text":"The hours of the local day during which the gateway records, with 'when = hours'."}]"#
        + "\n")
  }

  @Test
  func `a receiver that 'run' would reject is reported as a fault; an unplugged one is accepted`()
    async throws
  {
    try put("[board x]\naddress = C8:4B:AA:97:50:05\n[receiver]\ngps = /etc/passwd\n")
    #expect(
      await run("check")
        == Outcome(
          status: 2,
          output: """
            \(path):4: cannot use /etc/passwd as a GPS receiver: it is not a serial port
                   to replay a file of sentences, use file:/etc/passwd
            1 fault

            """))
    let set = await run("set", "receiver.gps", "/etc/group")
    #expect(set.status == 2)
    #expect(set.errors.contains("it is not a serial port"), "\(set.errors)")
    #expect(WholeFile.text(path)?.contains("gps = /etc/passwd\n") == true)
    #expect(await run("set", "receiver.gps", "/dev/ttyUSB77").errors == "")
    #expect(await run("check").status == 0)
  }

  @Test func `sensors that no model can record together are rejected`() async throws {
    let outcome = await run("set", "sensors.sensor", "acceleration@100", "quaternion")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("cannot be recorded together"), "\(outcome.errors)")
    #expect(WholeFile.text(path) == nil)
  }

  @Test func `'config explain' shows a board key's value under the board's name`() async throws {
    try put(Self.walks)
    let outcome = await run("explain", "board RIGHT.placement")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.output.hasPrefix(
        """
        [board NAME] placement
        Where the board is worn, in your own words.
          right           right ankle, set on line 5 of \(path)
          default         none

        """), "\(outcome.output)")
    #expect(
      await run("explain", "board middle.placement")
        == .misunderstood(
          """
          error: there is no board 'middle' in \(path)
                 its boards are left, right
          """))
  }

  @Test func `if the user names a missing file, 'config explain' and 'forecast' fail`() async {
    for command in [["config", "explain"], ["forecast"]] {
      #expect(
        await Outcome.of(
          command + ["--config", "/nowhere/f"], environment: ["FOOTBRIDGE_CONFIG": path],
          commands: Commands.all)
          == .misunderstood(
            """
            error: the file /nowhere/f does not exist
                   correct the path after --config, or leave it out to use \(path)
            """))
    }
  }

  @Test
  func `keys are explained even without a configuration file, and an invalid value is marked`()
    async throws
  {
    let outcome = await Outcome.of("config", "explain", "seal", commands: Commands.all)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("\n  now             15 minutes\n"))
    #expect(outcome.errors.contains("there is no configuration"), "\(outcome.errors)")
    try put("[recording]\nseal = 0\n")
    #expect(await run("explain").output.contains("\nrecording.seal              faulty "))
  }

  @Test func `an unknown or ambiguous key is rejected`() async {
    #expect(
      await run("explain", "when")
        == .misunderstood(
          """
          error: 'when' could mean recording.when or upload.when or sharing.when
                 add the section, as in SECTION.KEY
          """))
    #expect(
      await run("explain", "senso")
        == .misunderstood(
          """
          error: there is no key 'senso'
                 did you mean 'sensor'?
          """))
    #expect(
      await run("set", "boards.placement", "left ankle")
        == .misunderstood(
          """
          error: there is no key 'boards.placement'
                 name the board, as in 'board left.placement'
          """))
  }

  @Test func `'config example' prints a valid configuration, and 'config manual' the manual page`()
    async throws
  {
    let example = await run("example")
    #expect(example.output == ConfigurationExample.text)
    try put(example.output)
    #expect(await run("check").status == 0)
    #expect(await run("manual").output == ConfigurationManual.text + "\n")
  }

  @Test func `'config set' sets or removes a key's value, and rejects an invalid value`()
    async throws
  {
    #expect(
      await run("set", "seal", "5")
        == Outcome(status: 0, output: "\(path): recording.seal is 5.\n"))
    #expect(
      await run("set", "seal", "5").output == "\(path) is unchanged: recording.seal is 5.\n")
    #expect(
      await run("set", "upload.destination", "home", "clinic").output
        == "\(path): upload.destination is home and clinic.\n")
    #expect(
      await run("set", "seal").output == "\(path): recording.seal has its default value.\n")
    #expect(
      await run("set", "seal", "0")
        == .misunderstood(
          """
          error: cannot use the configuration \(path): 1 fault
                 \(path):2: 'seal' cannot be '0'
                        MINUTES is a number above 0 and at most 1440
          """))
    #expect(
      WholeFile.text(path) == "[recording]\n\n[upload]\ndestination = home\ndestination = clinic\n")
  }

  @Test func `'config' rejects unexpected, missing or conflicting arguments`() async {
    for (arguments, errors) in [
      (["check", "x"], "unexpected argument 'x'\n       leave it out"),
      (["explain", "seal", "5"], "unexpected argument '5'\n       leave it out"),
      (["set"], "'KEY' is missing\n       use 'footbridge config set KEY VALUE'"),
      (["example", "--json"], "'--json' cannot be used with 'example'\n       leave it out"),
    ] {
      #expect(
        await Outcome.of(
          ["config"] + arguments, environment: ["FOOTBRIDGE_CONFIG": path], commands: Commands.all)
          == .misunderstood("error: \(errors)\n       try 'footbridge config --help'"))
    }
  }
}
