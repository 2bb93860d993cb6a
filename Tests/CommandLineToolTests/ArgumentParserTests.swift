import BoardDriver
@testable import CommandLineTool
@testable import Terminal
import Export
import Gateway
import LinuxSystem
import MetaWearProtocol
import Positioning
import TestSupport
import Testing
import Values

@Suite(.computation) struct ArgumentParserTests {
  @Test func `'record' ends on an interrupt or after the given duration`() throws {
    let endless = try RecordCommand.typed("--store", "/x.sqlite")
    #expect(endless == .plain { $0.store.given = "/x.sqlite" })
    #expect(endless.seconds == nil && endless.boards == 1)
    #expect(
      try RecordCommand.typed(
        "--seconds", "60", "--gps", "/dev/gps0", "--export", "/out", "--store=/y", "--boards", "3")
        == .plain {
          $0.seconds = 60
          $0.settings.receiver = .serial("/dev/gps0", speed: nil)
          $0.exportFolder = "/out"
          $0.store.given = "/y"
          $0.boards = 3
        })
  }

  @Test
  func `'record' accepts a note, hazards, a wearer and a gateway, but no hazard without intensity`()
    async throws
  {
    #expect(
      try RecordCommand.typed(
        "--note", "over the bridge", "--hazard", "slip=2", "--hazard=Low branch=1",
        "--wearer", "Anna", "--gateway", "van")
        == .plain {
          $0.settings.note = "over the bridge"
          $0.settings.hazards = ["Slippery=2", "Low branch=1"].compactMap(HazardRequest.init)
          $0.settings.wearer = "Anna"
          $0.settings.gateway = "van"
        })
    #expect(
      await Outcome.of("record", "--hazard", "Slippery")
        == .misunderstood(
          """
          error: '--hazard' cannot be 'Slippery'
                 write a name and an intensity from 0 to 3, as in Slippery=2
                 usual names are Change in Floor Levels, Uneven Surface, Debris or
                 Obstacles, Slippery, Slope, Poor Lighting; the beginning of one is enough
                 if it is unique, and other names are allowed
                 try 'footbridge record --help'
          """))
  }

  @Test func `commands that act on sessions or on the store are parsed`() throws {
    #expect(try SessionsCommand.typed("--store=/s") == .plain { $0.store.given = "/s" })
    #expect(
      try ShowCommand.typed("3f2a", "--chunks")
        == .plain {
          $0.session = "3f2a"
          $0.listsChunks = true
        })
    #expect(
      try HazardCommand.typed("last", "Slope=3", "--at", "1:20", "ice=0")
        == .plain {
          $0.session = "last"
          $0.hazards = ["Slope=3", "ice=0"].compactMap(HazardRequest.init)
          $0.moment = .seconds(80)
        })
    #expect(
      try AnnotateCommand.typed("last", "two words", "--at=1.5")
        == .plain {
          $0.session = "last"
          $0.text = "two words"
          $0.moment = .seconds(1.5)
        })
    #expect(
      try DeleteCommand.typed("3f2a", "--yes", "--json")
        == .plain {
          $0.session = "3f2a"
          $0.isSure = true
          $0.reportsJSON = true
        })
    #expect(
      try StoreCommand.typed("backup", "/copy")
        == .plain {
          $0.action = .backup
          $0.file = "/copy"
        })
  }

  @Test func `'stream' accepts one or more boards, with options in between`() async throws {
    #expect(
      try StreamCommand.typed("left", "--csv", "C8:4B", "--seconds", "3")
        == .plain {
          $0.boards = ["left", "C8:4B"]
          $0.format = .csv
          $0.seconds = 3
        })
    #expect(try StreamCommand.typed("--", "-odd") == .plain { $0.boards = ["-odd"] })
    #expect(
      try StreamCommand.typed(
        "--adapter", "00:1a:7d:da:71:0a", "left", "--adapter=00:1A:7D:DA:71:0B")
        == .plain {
          $0.boards = ["left"]
          $0.adapters = [0x001A_7DDA_710A, 0x001A_7DDA_710B].map(BoardAddress.init(value:))
        })
    #expect(
      await Outcome.of("stream", "--json", "--csv", "left")
        == .misunderstood(
          """
          error: '--json' and '--csv' cannot be used together
                 use only one of them
                 try 'footbridge stream --help'
          """))
    #expect(
      await Outcome.of("stream", "--json")
        == .misunderstood(
          """
          error: 'BOARD' is missing
                 BOARD is the address or the name of a board, or the beginning of either
                 'footbridge boards' lists names, 'footbridge scan' shows addresses
                 try 'footbridge stream --help'
          """))
  }

  @Test func `'record' accepts a number of boards or their names, but not both`() async throws {
    #expect(
      try RecordCommand.typed("--board", "left", "--board=C8:4B")
        == .plain { $0.named = ["left", "C8:4B"] })
    for (arguments, other, option) in [
      (["--boards", "2", "--board", "left"], "boards", "board"),
      (["--board", "left", "--boards", "2"], "board", "boards"),
    ] {
      #expect(
        await Outcome.of(["record"] + arguments)
          == .misunderstood(
            """
            error: '--\(other)' and '--\(option)' cannot be used together
                   use only one of them
                   try 'footbridge record --help'
            """))
    }
  }

  @Test func `omitted options have their default values`() throws {
    #expect(
      try DemoCommand.typed()
        == DemoCommand(
          isFast: false, seconds: 30, boards: 1, adapters: 1, receiver: nil, reportsJSON: false,
          folder: nil, replaces: false, seed: 1, wearer: .walking))
    #expect(
      try SimulateCommand.typed()
        == .plain {
          $0.boards = 1
          $0.model = .metaMotionS
          $0.simulatesGPS = false
          $0.seed = 1
        })
  }

  @Test func `a value follows its option after a space or an equals sign`() throws {
    let expected = DemoCommand(
      seconds: 2.5, boards: 10, reportsJSON: true, folder: "/tmp/a=b", seed: 7)
    #expect(
      try DemoCommand.typed(
        "--seconds", "2.5", "--boards", "10", "--json", "--keep", "/tmp/a=b", "--seed", "7")
        == expected)
    #expect(
      try DemoCommand.typed(
        "--seed=7", "--keep=/tmp/a=b", "--json", "--boards=10", "--seconds=2.5") == expected)
    #expect(
      try SimulateCommand.typed("--model=RL", "--gps")
        == .plain {
          $0.model = .metaMotionRL
          $0.simulatesGPS = true
        })
  }

  @Test func `a wearer is given as a keyword or as a file path`() async throws {
    #expect(
      try SimulateCommand.typed("--wearer", "falling") == .plain { $0.wearer = .falling })
    #expect(
      try DemoCommand.typed("--wearer=walk.csv") == DemoCommand(wearer: .file("walk.csv")))
    #expect(
      await Outcome.of("demo", "--wearer=")
        == .misunderstood(
          """
          error: '--wearer' cannot be ''
                 WEARER is still, walking, running, falling or the path of a CSV file
                 try 'footbridge demo --help'
          """))
  }

  @Test func `each sensor is given in its own option, with a rate and an optional range`()
    async throws
  {
    #expect(
      try RecordCommand.typed(
        "--sensor", "acceleration@100:8", "--sensor=quaternion@50", "--layout", "counted")
        == .plain {
          $0.sensors.requests = [
            SensorRequest(signal: "acceleration", rate: 100, range: 8),
            SensorRequest(signal: "quaternion", rate: 50),
          ]
          $0.sensors.layout = .counted
        })
    #expect(
      try RecordCommand.typed("--sensor", "acceleration@50,4", "--sensor=pressure")
        == .plain {
          $0.sensors.requests = [
            SensorRequest(signal: "acceleration", rate: 50, range: 4),
            SensorRequest(signal: "pressure", rate: nil),
          ]
        })
    #expect(
      await Outcome.of("demo", "--layout=pairs")
        == .misunderstood(
          """
          error: '--layout' cannot be 'pairs'
                 choose one of single, packed, counted-pair, counted, timed
                 try 'footbridge demo --help'
          """))
  }

  @Test(arguments: [
    "acceleration:8", "@100", "acceleration@", "acceleration@0", "acceleration@-1",
    "acceleration@nan", "acceleration@0x10", "acceleration@100:", "acceleration@100:8:1",
    "acceleration@100@8", "acceleration@100,8:1", "",
  ])
  func `the error for an invalid sensor shows the expected format`(_ text: String) async {
    #expect(
      await Outcome.of("record", "--sensor", text)
        == .misunderstood(
          """
          error: '--sensor' cannot be '\(text)'
                 SENSOR is SIGNAL, SIGNAL@RATE or SIGNAL@RATE:RANGE, as in acceleration@100:8
                 'footbridge sensors' lists signals, rates and ranges
                 try 'footbridge record --help'
          """))
  }

  @Test(arguments: [
    ("acc", "acceleration"), ("acceleratoin@100", "acceleration"), ("gyro@100", "angular_velocity"),
    ("gyroscope", "angular_velocity"), ("light", "illuminance"), ("quat@50", nil), ("foo", nil),
    ("voltage_pin", nil), ("voltage_pin02", nil), ("voltage_pin2x", nil),
    ("acceleration2", "acceleration"),
  ])
  func `the error for an unknown signal suggests the closest known one`(
    _ text: String, _ meant: String?
  ) async {
    let outcome = await Outcome.of("record", "--store=/s", "--sensor", text)
    let name = text.prefix { $0 != "@" }
    let suggestion = meant.map { ": did you mean '\($0)'?" } ?? ""
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.split(separator: "\n").first
        == "error: there is no signal '\(name)'\(suggestion)")
  }

  @Test(arguments: ["humidity", "voltage_pin2", "temperature_external1", "colour@1"])
  func `a signal is accepted if at least one model has it`(_ text: String) async {
    let outcome = await Outcome.of("record", "--store=/s", "--sensor", text)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
  }

  @Test func `an error quotes the input without control characters`() async {
    for words in [["record", "--\u{1b}[31mx"], ["\u{1b}[31m"], ["gps", "a", "\u{1b}[2J"]] {
      let outcome = await Outcome.of(words)
      #expect(outcome.status == 2)
      #expect(!outcome.errors.unicodeScalars.contains("\u{1b}"))
    }
  }

  @Test func `each simulated fault is given in its own option, with its time and its value`() throws
  {
    let faults = try SimulateCommand.typed(
      "--fault", "drop@10:3", "--fault=halt@0.5:gyroscope", "--fault", "battery@1", "--fault",
      "hang@2", "--fault=delay@3:4"
    ).faults
    #expect(faults.map(\.kind) == [.drop, .halt, .battery, .hang, .delay])
    #expect(faults.map(\.seconds) == [10, 0.5, 1, 2, 3])
    #expect(faults.map(\.count) == [3, 1, 1, 1, 1])
    #expect(faults.map(\.span) == [1, 1, 60, .infinity, 4])
    #expect(faults.map { $0.sensor == .gyroscope } == [false, true, false, false, false])
  }

  @Test(arguments: [
    "drpo@3", "drop", "drop@", "@3", "drop@-1", "drop@1@2", "drop@1:", "drop@1:0", "drop@1:2.5",
    "drop@1:2:3", "delay@1:0", "delay@1:x", "hang@1:inf", "reboot@1:1", "halt@1:barometer",
    "drop@1e99", "battery@0x10", "",
  ])
  func `the error for an invalid fault lists the known kinds`(_ text: String) async {
    #expect(
      await Outcome.of("simulate", "--fault", text)
        == .misunderstood(
          """
          error: '--fault' cannot be '\(text)'
                 FAULT is KIND@SECONDS or KIND@SECONDS:VALUE, as in drop@10:3
                 kinds are drop, outage, delay, duplicate, garbage, disconnect, reboot, mute, hang, halt, battery
                 try 'footbridge simulate --help'
          """))
  }

  @Test
  func `'simulate' parses its adapters, its BlueZ release and faults of the Bluetooth service`()
    throws
  {
    #expect(
      try SimulateCommand.typed("--adapters", "2", "--bluez", "5.84")
        == .plain {
          $0.adapters = 2
          $0.release = .v5_84
        })
    let meanings: [(String, DaemonFaultRequest.Kind, Double, DaemonFaultRequest.Value)] = [
      ("gone@10:3", .gone, 10, .seconds(3)), ("restart@1", .restart, 1, .seconds(3)),
      ("off@0.5", .off, 0.5, .nothing), ("abort@2:4", .abort, 2, .count(4)),
      ("plug@3:0", .plug, 3, .count(0)), ("no-objects@1", .noObjects, 1, .count(1)),
      ("no-objects@1:always", .noObjects, 1, .word("always")),
      ("no-reply@1:listing", .noReply, 1, .word("listing")),
      ("denied@1:StartNotify", .denied, 1, .word("StartNotify")),
      ("wedge@1:power", .wedge, 1, .word("power")), ("held@0", .held, 0, .seconds(.infinity)),
    ]
    for (text, kind, seconds, value) in meanings {
      let fault = try #require(SimulateCommand.typed("--daemon-fault", text).daemonFaults.first)
      #expect(fault.kind == kind && fault.seconds == seconds && fault.value == value, "\(text)")
    }
  }

  @Test(arguments: [
    "gone", "gone@", "gone@1:0", "gone@1:x", "off@1:1", "abort@1:0", "abort@1:1.5", "plug@1:-1",
    "no-reply@1:pair", "wedge@1:never", "denied@1:", "denied@1:a b", "dropped@1", "drop@1",
  ])
  func `the error for an invalid fault of the Bluetooth service lists the known kinds`(
    _ text: String
  ) async {
    #expect(
      await Outcome.of("simulate", "--daemon-fault", text)
        == .misunderstood(
          """
          error: '--daemon-fault' cannot be '\(text)'
                 FAULT is KIND@SECONDS or KIND@SECONDS:VALUE, as in gone@10:3
                 kinds are no-reply, abort, no-objects, late-objects, slow-stop, slow-disconnect, empty, early, wedge, silence, off, on, block, unblock, unplug, plug, gone, restart, crash, denied, held, bootloader, bond, foreign-notify, foreign-scan, foreign-link
                 try 'footbridge simulate --help'
          """))
  }

  @Test func `'--quiet' and '--verbose' may precede or follow the command's name`() async {
    let commands = Commands.demo { _, console in
      console.notice("started")
      console.detail("looked")
      return .ok
    }
    for arguments in [["demo", "-q"], ["--quiet", "demo"]] {
      #expect(await outcome(arguments, commands) == Outcome(status: 0))
    }
    for arguments in [["demo", "-v"], ["--verbose", "demo"]] {
      #expect(
        await outcome(arguments, commands)
          == Outcome(
            status: 0, errors: "level=notice event=started\nlevel=detail event=looked\n"))
    }
    #expect(
      await outcome(["demo"], commands)
        == Outcome(status: 0, errors: "level=notice event=started\n"))
  }

  private func outcome(_ arguments: [String], _ commands: [Terminal.Command]) async
    -> Outcome
  {
    arguments.count == 1
      ? await .of(arguments[0], commands: commands)
      : await .of(arguments[0], arguments[1], commands: commands)
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    var arguments: String
    var text: String
    init(_ arguments: String, _ text: String) {
      self.arguments = arguments
      self.text = text
    }
    var testDescription: String { arguments.isEmpty ? "nothing" : arguments }
  }

  @Test(arguments: [
    Mistake(
      "",
      """
      error: no command given
             commands are demo, setup, scan, pair, boards, identify, stream, record, run, status, start, stop, \
      pause, resume, config, definitions, doctor, report, forecast, sessions, show, session, hazard, annotate, task, survey, export, verify, audit, import, delete, \
      store, \
      destination, upload, uploads, fetch, reset, forget, sensors, simulate, gps, receive, web, completion, help
             try 'footbridge --help'
      """),
    Mistake(
      "gps fixed:95,10",
      """
      error: 'SOURCE' cannot be 'fixed:95,10'
             SOURCE is a serial port, as in /dev/gps0, '/dev/ttyUSB*' or /dev/ttyUSB0@9600, with an \
      optional
             speed of 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600; or gpsd,
             gpsd://HOST[:PORT][/DEVICE], file:PATH for a file of sentences, or
             fixed:LATITUDE,LONGITUDE[,ALTITUDE] in degrees and metres, as in fixed:53.1680,9.9400,62
             try 'footbridge gps --help'
      """),
    Mistake(
      "dmeo",
      """
      error: unknown command 'dmeo'
             did you mean 'demo'?
             try 'footbridge --help'
      """),
    Mistake(
      "help sim",
      """
      error: unknown command 'sim'
             did you mean 'simulate'?
             try 'footbridge --help'
      """),
    Mistake(
      "levitate",
      """
      error: unknown command 'levitate'
             try 'footbridge --help'
      """),
    Mistake(
      "demo --second 3",
      """
      error: unknown option '--second'
             did you mean '--seconds'?
             try 'footbridge demo --help'
      """),
    Mistake(
      "demo -borads=3",
      """
      error: unknown option '-borads'
             did you mean '--boards'?
             try 'footbridge demo --help'
      """),
    Mistake(
      "demo -x",
      """
      error: unknown option '-x'
             try 'footbridge demo --help'
      """),
    Mistake(
      "--verison",
      """
      error: unknown option '--verison'
             did you mean '--version'?
             try 'footbridge --help'
      """),
    Mistake(
      "demo --seconds",
      """
      error: '--seconds' needs a value
             use '--seconds N'
             try 'footbridge demo --help'
      """),
    Mistake(
      "demo --keep --json",
      """
      error: '--keep' needs a value
             use '--keep FOLDER'
             try 'footbridge demo --help'
      """),
    Mistake(
      "demo --keep=",
      """
      error: '--keep' cannot be ''
             FOLDER is the path of a folder
             try 'footbridge demo --help'
      """),
    Mistake(
      "demo --json=yes",
      """
      error: '--json' takes no value
             leave out '=yes'
             try 'footbridge demo --help'
      """),
    Mistake(
      "demo --boards 1 --boards=2",
      """
      error: '--boards' is given twice
             give it once
             try 'footbridge demo --help'
      """),
    Mistake(
      "demo --boards 11",
      """
      error: '--boards' cannot be '11'
             N is a whole number from 1 to 10
             try 'footbridge demo --help'
      """),
    Mistake(
      "demo --seed -1",
      """
      error: '--seed' cannot be '-1'
             N is a whole number from 0 to 2^64 - 1
             try 'footbridge demo --help'
      """),
    Mistake(
      "simulate --model s",
      """
      error: '--model' cannot be 's'
             choose one of S, RL, MMC, C, R, ENV
             try 'footbridge simulate --help'
      """),
    Mistake(
      "demo now",
      """
      error: unexpected argument 'now'
             'footbridge demo' takes options only
             try 'footbridge demo --help'
      """),
    Mistake(
      "demo -- --json",
      """
      error: unexpected argument '--json'
             'footbridge demo' takes options only
             try 'footbridge demo --help'
      """),
    Mistake(
      "help demo simulate",
      """
      error: unexpected argument 'simulate'
             'footbridge help' takes COMMAND and options
             try 'footbridge help --help'
      """),
    Mistake(
      "demo -q -v",
      """
      error: '--quiet' and '--verbose' cannot be used together
             use only one of them
             try 'footbridge demo --help'
      """),
  ])
  func `an invalid command line is reported with a remedy, and no command runs`(_ mistake: Mistake)
    async
  {
    let errors = MemorySink()
    let output = MemorySink()
    let status = await Commands.main(
      arguments: mistake.arguments.split(separator: " ").map(String.init), environment: [:],
      commands: Commands.probes, console: Console(output: output, errors: errors))
    #expect(errors.text == mistake.text + "\n")
    #expect(output.text == "")
    #expect(status == 2)
  }

  @Test(arguments: ["0", "-1", "86400.1", "abc", "", "nan", "inf", "0x10", "1e9", "3s"])
  func `the error for an invalid duration states the valid range`(_ text: String) async {
    #expect(
      await Outcome.of("demo", "--seconds", text)
        == .misunderstood(
          """
          error: '--seconds' cannot be '\(text)'
                 N is a number of seconds above 0 and at most 86400, or a time as in 1:30
                 try 'footbridge demo --help'
          """))
  }

  @Test func `'help' accepts two hyphens before a command's name`() async {
    let plain = await Outcome.of("help", "demo")
    #expect(await Outcome.of("help", "--", "demo") == plain)
    #expect(plain.status == 0)
  }

  @Test
  func `words after '--' form a command line; '--shell' takes its descriptor from the environment`()
    throws
  {
    for words in [
      ["env"], ["ls", "-l", "--json"], ["sh", "-c", "", "--", "two words"], ["-odd"],
    ] {
      #expect(
        try SimulateCommand.typed(["--gps", "--"] + words)
          == .plain {
            $0.simulatesGPS = true
            $0.commandLine = words
          })
    }
    #expect(try SimulateCommand.typed("--shell") == .plain { $0.servesShell = true })
    #expect(
      try SimulateCommand.typed(
        "--shell", environment: ["FOOTBRIDGE_SIMULATION_SHELL": "3"])
        == .plain {
          $0.servesShell = true
          $0.shellDescriptor = 3
        })
  }

  @Test
  func `the command after 'simulate --' must name a program, and excludes options that use stdout`()
    async
  {
    let remedy = """
      COMMAND is a program followed by its arguments, as in -- footbridge scan
             try 'footbridge simulate --help'
      """
    #expect(
      await Outcome.of("simulate", "--")
        == .misunderstood("error: 'COMMAND' is missing after '--'\n       \(remedy)"))
    #expect(
      await Outcome.of("simulate", "--", "", "-l")
        == .misunderstood("error: 'COMMAND' cannot be ''\n       \(remedy)"))
    #expect(
      await Outcome.of("simulate", "env", "--gps")
        == .misunderstood(
          """
          error: unexpected argument 'env'
                 put '--' before a COMMAND
                 try 'footbridge simulate --help'
          """))
    for option in ["json", "shell", "packets"] {
      #expect(
        await Outcome.of("simulate", "--\(option)", "--", "env")
          == .misunderstood(
            """
            error: '--\(option)' and '-- COMMAND' cannot be used together
                   use only one of them
                   try 'footbridge simulate --help'
            """))
    }
    for option in ["json", "packets"] {
      #expect(
        await Outcome.of("simulate", "--\(option)", "--shell")
          == .misunderstood(
            """
            error: '--\(option)' and '--shell' cannot be used together
                   use only one of them
                   try 'footbridge simulate --help'
            """))
    }
  }

  @Test func `an adapter's name is rejected where its address is required`() async {
    for command in ["record", "scan"] {
      #expect(
        await Outcome.of(command, "--adapter", "hci0")
          == .misunderstood(
            """
            error: '--adapter' cannot be 'hci0'
                   ADDRESS is the address of an adapter, as in 00:1A:7D:DA:71:0A, and not its name (hci0),
                   which may change when the adapter is plugged in: 'bluetoothctl list' shows addresses
                   try 'footbridge \(command) --help'
            """))
    }
  }

  @Test func `'fetch' parses its arguments, and requires at least one`() async throws {
    #expect(
      try FetchCommand.typed(
        "university", "last", "--format", "json", "--user", "Ada", "--output", "walk.json")
        == .plain {
          $0.named = "university"
          $0.record = "last"
          $0.format = .json
          $0.user = "Ada"
          $0.output = "walk.json"
        })
    #expect(await Outcome.of("fetch", commands: Commands.all).status == 2)
  }

  @Test
  func `a listening address is parsed, and the error for an invalid one shows valid examples`()
    async throws
  {
    #expect(
      try ReceiveCommand.typed("--into", "a.sqlite", "--listen", "[::1]:80")
        == .plain {
          $0.into = "a.sqlite"
          $0.service.address = ListenAddress(host: "::1", port: 80)
        })
    #expect(
      await Outcome.of("receive", "--listen", "laptop:8420")
        == .misunderstood(
          """
          error: '--listen' cannot be 'laptop:8420'
                 ADDRESS:PORT is an address of this computer with a port, as in 127.0.0.1:8420 or [::1]:8420
                 0.0.0.0:8420 means all of its addresses, and port 0 a free port
                 try 'footbridge receive --help'
          """))
  }

  @Test func `'doctor' parses its options, and suggests the right name for a misspelt one`()
    async throws
  {
    #expect(
      try DoctorCommand.typed("--gps", "/dev/gps0@4800", "--offline", "--store", "/w.sqlite")
        == .plain {
          $0.source = .serial("/dev/gps0", speed: SerialSpeed(rawValue: 4_800))
          $0.isOffline = true
          $0.store.given = "/w.sqlite"
        })
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
