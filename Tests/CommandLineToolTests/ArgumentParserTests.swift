@testable import CommandLineTool
import TestSupport
import Testing

@Suite(.computation) struct ArgumentParserTests {
  @Test func `record goes on until interrupted unless it is told a length`() async {
    #expect(
      await Outcome.of("record", "--store", "/x.sqlite").output
        == "1 boards, gps -, until interrupted, export -, store /x.sqlite\n")
    #expect(
      await Outcome.of(
        "record", "--seconds", "60", "--gps", "/dev/gps0", "--export", "/out", "--store=/y",
        "--boards",
        "3"
      ).output == "3 boards, gps /dev/gps0, 60.0 s, export /out, store /y\n")
  }

  @Test func `record takes what is to be noted of the session`() async {
    #expect(
      await Outcome.of(
        "record", "--store=/s", "--note", "over the bridge", "--hazard", "slip=2",
        "--hazard=Low branch=1", "--wearer", "Anna", "--gateway", "van"
      ).output
        == "1 boards, gps -, until interrupted, export -, store /s, note over the bridge, "
        + "Slippery 2, Low branch 1, wearer Anna, gateway van\n")
    #expect(
      await Outcome.of("record", "--hazard", "Slippery")
        == .misunderstood(
          """
          error: '--hazard' cannot be 'Slippery'
                 write a name and an intensity from 0 to 3, as in Slippery=2
                 usual names are Change in Floor Levels, Uneven Surface, Debris or
                 Obstacles, Slippery, Slope, Poor Lighting; the beginning of one is enough
                 if only one has it, and other names are allowed
                 try 'footbridge record --help'
          """))
  }

  @Test func `sessions are shown, annotated and deleted as they are written`() async {
    #expect(await Outcome.of("sessions", "--store=/s").output == "json false, store /s\n")
    #expect(
      await Outcome.of("show", "3f2a", "--chunks", "--store=/s").output
        == "3f2a, chunks true, json false, store /s\n")
    #expect(
      await Outcome.of("hazard", "last", "--store=/s", "Slope=3", "ice=0").output
        == "last, Slope 3, ice 0, json false, store /s\n")
    #expect(
      await Outcome.of("hazard", "last", "--at", "1:20", "--store=/s", "Slope=3").output
        == "last, Slope 3, at seconds(80.0), json false, store /s\n")
    #expect(
      await Outcome.of("annotate", "last", "two words", "--at=1.5", "--store=/s").output
        == "last, two words, at seconds(1.5), json false, store /s\n")
    #expect(
      await Outcome.of("delete", "3f2a", "--yes", "--json", "--store=/s").output
        == "3f2a, sure true, json true, store /s\n")
    #expect(
      await Outcome.of("store", "backup", "/copy", "--store=/s").output
        == "backup /copy, quota -, floor -, when full -, json false, store /s\n")
  }

  @Test func `stream takes any number of boards but none, and options between them`() async {
    #expect(
      await Outcome.of("stream", "left", "--store=/s", "--csv", "C8:4B", "--seconds", "3").output
        == "left and C8:4B, 3.0 s, format csv, store /s\n")
    #expect(
      await Outcome.of("stream", "--store=/s", "--", "-odd").output
        == "-odd, until interrupted, format -, store /s\n")
    #expect(
      await Outcome.of(
        "stream", "--store=/s", "--adapter", "00:1a:7d:da:71:0a", "left",
        "--adapter=00:1A:7D:DA:71:0B"
      ).output
        == "left, until interrupted, format -, store /s, "
        + "over 00:1A:7D:DA:71:0A and 00:1A:7D:DA:71:0B\n")
    #expect(
      await Outcome.of("stream", "--json", "--csv", "left")
        == .misunderstood(
          """
          error: '--json' and '--csv' cannot be used together
                 give one
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

  @Test func `boards are counted or named, not both, whichever comes first`() async {
    #expect(
      await Outcome.of("record", "--store=/s", "--board", "left", "--board=C8:4B").output
        == "left and C8:4B, gps -, until interrupted, export -, store /s\n")
    for (arguments, other, option) in [
      (["--boards", "2", "--board", "left"], "boards", "board"),
      (["--board", "left", "--boards", "2"], "board", "boards"),
    ] {
      #expect(
        await Outcome.of(["record"] + arguments)
          == .misunderstood(
            """
            error: '--\(other)' and '--\(option)' cannot be used together
                   give one
                   try 'footbridge record --help'
            """))
    }
  }

  @Test func `options that are not given have their defaults`() async {
    #expect(
      await Outcome.of("demo")
        == Outcome(status: 0, output: "30.0 s, 1 boards, json false, keep -, seed 1\n"))
    #expect(
      await Outcome.of("simulate")
        == Outcome(
          status: 0, output: "1 boards metaMotionS, gps false, json false, seed 1\n"))
  }

  @Test func `a value stands behind its option or behind an equals sign`() async {
    let expected = Outcome(
      status: 0, output: "2.5 s, 10 boards, json true, keep /tmp/a=b, seed 7\n")
    #expect(
      await Outcome.of(
        "demo", "--seconds", "2.5", "--boards", "10", "--json", "--keep", "/tmp/a=b", "--seed",
        "7") == expected)
    #expect(
      await Outcome.of(
        "demo", "--seed=7", "--keep=/tmp/a=b", "--json", "--boards=10", "--seconds=2.5")
        == expected)
    #expect(
      await Outcome.of("simulate", "--model=RL", "--gps")
        == Outcome(
          status: 0, output: "1 boards metaMotionRL, gps true, json false, seed 1\n"))
  }

  @Test func `a wearer is a word or the path of a file`() async {
    #expect(
      await Outcome.of("simulate", "--wearer", "falling").output
        == "1 boards metaMotionS, gps false, json false, seed 1, falling\n")
    #expect(
      await Outcome.of("demo", "--wearer=walk.csv").output
        == "30.0 s, 1 boards, json false, keep -, seed 1, file(\"walk.csv\")\n")
    #expect(
      await Outcome.of("demo", "--wearer=")
        == .misunderstood(
          """
          error: '--wearer' cannot be ''
                 WEARER is still, walking, running, falling or the path of a CSV file
                 try 'footbridge demo --help'
          """))
  }

  @Test func `sensors are given one by one, each with its rate and maybe its range`() async {
    #expect(
      await Outcome.of(
        "record", "--store=/s", "--sensor", "acceleration@100:8", "--sensor=quaternion@50",
        "--layout", "counted"
      ).output
        == "1 boards, gps -, until interrupted, export -, store /s"
        + ", acceleration at 100.0 Hz up to 8.0, quaternion at 50.0 Hz up to -, counted\n")
    #expect(
      await Outcome.of("record", "--store=/s", "--sensor", "acceleration@50,4", "--sensor=pressure")
        .output
        == "1 boards, gps -, until interrupted, export -, store /s"
        + ", acceleration at 50.0 Hz up to 4.0, pressure at - Hz up to -\n")
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
  func `a sensor that is none is refused with the form there is`(_ text: String) async {
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
    ("acc", "acceleration"), ("acceleratoin@100", "acceleration"), ("quat@50", nil),
    ("humidity", nil), ("voltage_pin2", nil),
  ])
  func `a signal that no model has and that looks like another is refused with the other`(
    _ text: String, _ meant: String?
  ) async {
    let outcome = await Outcome.of("record", "--store=/s", "--sensor", text)
    let name = text.prefix { $0 != "@" }
    #expect(outcome.status == (meant == nil ? 0 : 2))
    #expect(
      outcome.errors.split(separator: "\n").first.map(String.init)
        == meant.map { "error: there is no signal '\(name)': did you mean '\($0)'?" })
  }

  @Test func `an error repeats what somebody wrote without what a terminal would obey`() async {
    for words in [["record", "--\u{1b}[31mx"], ["\u{1b}[31m"], ["gps", "a", "\u{1b}[2J"]] {
      let outcome = await Outcome.of(words)
      #expect(outcome.status == 2)
      #expect(!outcome.errors.unicodeScalars.contains("\u{1b}"))
    }
  }

  @Test func `faults are given one by one, each with its time and its value`() async {
    #expect(
      await Outcome.of("simulate", "--fault", "drop@10:3", "--fault=halt@0.5:gyroscope")
        == Outcome(
          status: 0,
          output: "1 boards metaMotionS, gps false, json false, seed 1"
            + ", drop at 10.0: 3, 1.0 s, accelerometer"
            + ", halt at 0.5: 1, 1.0 s, gyroscope\n"))
    #expect(
      await Outcome.of("simulate", "--fault", "battery@1", "--fault", "hang@2", "--fault=delay@3:4")
        .output
        == "1 boards metaMotionS, gps false, json false, seed 1"
        + ", battery at 1.0: 1, 60.0 s, accelerometer, hang at 2.0: 1, inf s, accelerometer"
        + ", delay at 3.0: 1, 4.0 s, accelerometer\n")
  }

  @Test(arguments: [
    "drpo@3", "drop", "drop@", "@3", "drop@-1", "drop@1@2", "drop@1:", "drop@1:0", "drop@1:2.5",
    "drop@1:2:3", "delay@1:0", "delay@1:x", "hang@1:inf", "reboot@1:1", "halt@1:barometer",
    "drop@1e99", "battery@0x10", "",
  ])
  func `a fault that is none is refused with the kinds there are`(_ text: String) async {
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

  @Test func `adapters, release and faults of the service are given like those of the boards`()
    async
  {
    #expect(
      await Outcome.of("simulate", "--adapters", "2", "--bluez", "5.84").output
        == "1 boards metaMotionS, gps false, json false, seed 1, 2 adapters, BlueZ 5.84\n")
    let faults = [
      "gone@10:3": "gone at 10.0: seconds(3.0)", "restart@1": "restart at 1.0: seconds(3.0)",
      "off@0.5": "off at 0.5: nothing", "abort@2:4": "abort at 2.0: count(4)",
      "plug@3:0": "plug at 3.0: count(0)", "no-objects@1": "noObjects at 1.0: count(1)",
      "no-objects@1:always": "noObjects at 1.0: word(\"always\")",
      "no-reply@1:listing": "noReply at 1.0: word(\"listing\")",
      "denied@1:StartNotify": "denied at 1.0: word(\"StartNotify\")",
      "wedge@1:power": "wedge at 1.0: word(\"power\")", "held@0": "held at 0.0: seconds(inf)",
    ]
    for (fault, meaning) in faults {
      #expect(
        await Outcome.of("simulate", "--daemon-fault", fault).output
          == "1 boards metaMotionS, gps false, json false, seed 1, \(meaning)\n")
    }
  }

  @Test(arguments: [
    "gone", "gone@", "gone@1:0", "gone@1:x", "off@1:1", "abort@1:0", "abort@1:1.5", "plug@1:-1",
    "no-reply@1:pair", "wedge@1:never", "denied@1:", "denied@1:a b", "dropped@1", "drop@1",
  ])
  func `a fault of the service that is none is refused with the kinds there are`(
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

  @Test func `the options every command accepts may stand before it or behind it`() async {
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

  private func outcome(_ arguments: [String], _ commands: [Command]) async -> Outcome {
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
      pause, resume, config, definitions, doctor, report, forecast, sessions, show, session, hazard, annotate, export, delete, \
      store, \
      destination, upload, uploads, fetch, reset, forget, sensors, simulate, gps, inspect, \
      receive, fleet, web, completion, help
             try 'footbridge --help'
      """),
    Mistake(
      "gps fixed:95,10",
      """
      error: 'SOURCE' cannot be 'fixed:95,10'
             SOURCE is a serial port, as in /dev/gps0, '/dev/ttyUSB*' or /dev/ttyUSB0@9600, which has a \
      speed of
             4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600; or gpsd,
             gpsd://HOST[:PORT][/DEVICE], file:PATH of a file of sentences, or
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
             write '--seconds N'
             try 'footbridge demo --help'
      """),
    Mistake(
      "demo --keep --json",
      """
      error: '--keep' needs a value
             write '--keep FOLDER'
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
             give one
             try 'footbridge demo --help'
      """),
  ])
  func `a mistake is named with its remedy, and nothing is done`(_ mistake: Mistake) async {
    let errors = MemorySink()
    let output = MemorySink()
    let status = await Footbridge.main(
      arguments: mistake.arguments.split(separator: " ").map(String.init), environment: [:],
      commands: Commands.probes, console: Console(output: output, errors: errors))
    #expect(errors.text == mistake.text + "\n")
    #expect(output.text == "")
    #expect(status == 2)
  }

  @Test(arguments: ["0", "-1", "86400.1", "abc", "", "nan", "inf", "0x10", "1e9", "3s"])
  func `seconds that are no length of a recording are refused`(_ text: String) async {
    #expect(
      await Outcome.of("demo", "--seconds", text)
        == .misunderstood(
          """
          error: '--seconds' cannot be '\(text)'
                 N is a number of seconds above 0 and at most 86400, or a time as in 1:30
                 try 'footbridge demo --help'
          """))
  }

  @Test func `two hyphens end the options, and a command name may follow`() async {
    let plain = await Outcome.of("help", "demo")
    #expect(await Outcome.of("help", "--", "demo") == plain)
    #expect(plain.status == 0)
  }

  @Test func `words after two hyphens are a command line where there is one, whatever they are`()
    async
  {
    let world = "1 boards metaMotionS, gps true, json false, seed 1"
    for (words, line) in [
      (["env"], #"["env"]"#), (["ls", "-l", "--json"], #"["ls", "-l", "--json"]"#),
      (["sh", "-c", "", "--", "two words"], #"["sh", "-c", "", "--", "two words"]"#),
      (["-odd"], #"["-odd"]"#),
    ] {
      #expect(
        await Outcome.of(["simulate", "--gps", "--"] + words).output == "\(world), runs \(line)\n")
    }
    #expect(await Outcome.of("simulate", "--gps", "--shell").output == "\(world), shell\n")
    #expect(
      await Outcome.of(
        "simulate", "--gps", "--shell", environment: ["FOOTBRIDGE_SIMULATION_SHELL": "3"]
      ).output == "\(world), shell, followed by 3\n")
  }

  @Test func `a command line has a program, and no options that want standard output`() async {
    let remedy = """
      COMMAND is a program, and its arguments follow, as in -- footbridge scan
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
                 write '--' before a COMMAND
                 try 'footbridge simulate --help'
          """))
    for option in ["json", "shell", "packets"] {
      #expect(
        await Outcome.of("simulate", "--\(option)", "--", "env")
          == .misunderstood(
            """
            error: '--\(option)' and '-- COMMAND' cannot be used together
                   give one
                   try 'footbridge simulate --help'
            """))
    }
    for option in ["json", "packets"] {
      #expect(
        await Outcome.of("simulate", "--\(option)", "--shell")
          == .misunderstood(
            """
            error: '--\(option)' and '--shell' cannot be used together
                   give one
                   try 'footbridge simulate --help'
            """))
    }
  }

  @Test func `an adapter is chosen by its address, and the reason is told`() async {
    for command in ["record", "scan"] {
      #expect(
        await Outcome.of(command, "--adapter", "hci0")
          == .misunderstood(
            """
            error: '--adapter' cannot be 'hci0'
                   ADDRESS is the address of an adapter, as in 00:1A:7D:DA:71:0A; its name (hci0) will not do,
                   since it may get another when it is plugged in: 'bluetoothctl list' shows addresses
                   try 'footbridge \(command) --help'
            """))
    }
  }

  @Test func `inspect wants to know what is spoken, and a model it knows`() async {
    #expect(
      await Outcome.of("inspect", "metawear", "--board", "RL", "--json", "night.log").output
        == "metawear, board RL, json true, file night.log\n")
    #expect(
      await Outcome.of("inspect")
        == .misunderstood(
          """
          error: 'metawear|nmea' is missing
                 choose metawear or nmea
                 try 'footbridge inspect --help'
          """))
    #expect(
      await Outcome.of("inspect", "night.log")
        == .misunderstood(
          """
          error: unknown choice 'night.log'
                 choose metawear or nmea
                 try 'footbridge inspect --help'
          """))
    let date = await Outcome.of("inspect", "nmea", "--not-before", "Monday")
    #expect(date.status == 2)
    #expect(
      date.errors.contains(
        "'--not-before' cannot be 'Monday'\n       DATE is a day as in 2026-05-04"))
    let unknown = await Outcome.of("inspect", "metawear", "--board", "Z")
    #expect(unknown.status == 2)
    #expect(
      unknown.errors.contains("'--board' cannot be 'Z'\n       choose one of S, RL, MMR, MMC,"))
  }

  @Test func `what is typed behind fetch arrives`() async {
    let outcome = await Outcome.of(
      "fetch", "university", "last", "--format", "json", "--user", "Ada", "--output", "walk.json",
      "--store", "/s.sqlite")
    #expect(
      outcome.output
        == "university last, json, user Ada, output walk.json, json false, store /s.sqlite\n")
    #expect(await Outcome.of("fetch", commands: Commands.all).status == 2)
  }

  @Test func `an address to listen at is read, and what is none is explained`() async {
    #expect(
      await Outcome.of("receive", "--into", "a.sqlite", "--listen", "[::1]:80").output
        == "into a.sqlite, at [::1]:80, token -, certificate -, key -, json false\n")
    #expect(
      await Outcome.of("receive", "--listen", "laptop:8420")
        == .misunderstood(
          """
          error: '--listen' cannot be 'laptop:8420'
                 ADDRESS:PORT is an address of this computer with a port, as in 127.0.0.1:8420 or [::1]:8420
                 0.0.0.0:8420 is all of its addresses, port 0 one that is free
                 try 'footbridge receive --help'
          """))
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
