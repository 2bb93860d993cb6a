import Positioning
import Recording
import Storage
import TestSupport
import Testing
import Values

@testable import Gateway

@Suite(.computation) struct GatewayStatusTests {
  /// Returns the status of a gateway that records two boards with positions.
  static func status() throws -> GatewayStatus {
    let address = try #require(BoardAddress("C8:4B:AA:97:50:05"))
    let other = try #require(BoardAddress("C8:4B:AA:98:51:08"))
    let stream = GatewayStatus.Stream(
      signal: "acceleration", requestedRate: 100, measuredRate: 98.5, received: 12_345,
      lost: [.link: 3, .disconnected: 120])
    return GatewayStatus(
      version: "1.0", uptime: 100,
      recording: GatewayStatus.Recording(
        phase: .recording, phaseAge: 90, rule: RecordingWish.Rule(),
        session: UniqueID(high: 1, low: 2), elapsed: 88, restarts: 1,
        failure: GatewayStatus.Failure(text: "no adapter", remedy: "plug it in", age: 95)),
      boards: [
        GatewayStatus.Board(
          address: address, name: "left", phase: .streaming, phaseAge: 88, sampleAge: 0.2,
          battery: 80, rssi: -60, streams: [stream]),
        GatewayStatus.Board(
          address: other, name: "right", phase: .streaming, phaseAge: 88, sampleAge: 0.1),
      ],
      bluetooth: GatewayStatus.Bluetooth(obstacle: nil, remedy: "", age: 95),
      receiver: GatewayStatus.Receiver(
        source: "/dev/gps0", state: .fix3D, stateAge: 60, fixAge: 0.5),
      clock: GatewayStatus.Clock(isSynchronised: true, uncertainty: 0.02),
      store: GatewayStatus.Store(
        path: "/var/lib/footbridge/recording.sqlite", used: 1_000_000, free: 10_000_000_000,
        space: .ok, spaceAge: 500, bytesPerDay: 50_000_000, age: 3),
      uploads: [
        GatewayStatus.Upload(
          destination: "home", isEnabled: true, sent: 10, waiting: 2, waitingBytes: 30_000,
          parked: 0, successAge: 60, retry: nil, error: "", age: 3)
      ])
  }

  @Test func `the status and its JSON show a pause, but not as a fault`() throws {
    var status = try Self.status()
    status.recording.pause = 90
    status.judge()
    #expect(status.works && status.activity == "paused and not storing samples")
    #expect(status.troubles.map(\.text) == ["it is paused, and no samples are stored"])
    let json = try JSON(parsing: Array(status.json.text.utf8))
    #expect(GatewayStatus(json: json)?.recording.pause == 90)
  }

  @Test
  func `a status survives a round trip through JSON, with or without problems`()
    throws
  {
    var status = try Self.status()
    status.judge()
    #expect(GatewayStatus(json: try JSON(parsing: Array(status.json.text.utf8))) == status)
    status.boards[0].sampleAge = nil
    status.boards[1].sampleAge = 30
    status.boards[1].battery = 3
    status.boards[1].help.links = 4
    status.boards[0].isAnswering = true
    status.boards[0].streams[0].silence = 7
    status.boards[0].streams[0].missing = 700
    status.boards[0].help.starts = 2
    status.adapters = [
      GatewayStatus.Adapter(name: "hci0", complaint: "hci0 hears no devices"),
      GatewayStatus.Adapter(name: "hci1"),
    ]
    status.adapters[0].help.switches = 3
    status.adapters[0].help.problem = .notOnUSB
    status.receiver = nil
    status.store = nil
    status.clock.isSynchronised = false
    status.bluetooth?.obstacle = "the Bluetooth adapter is off"
    status.bluetooth?.remedy = "switch it on"
    status.unknownDestinations = ["office"]
    status.refusedConfiguration = GatewayStatus.Failure(
      text: "1 fault", remedy: "line 3", age: 12)
    status.missingPage = GatewayStatus.Failure(text: "no key", remedy: "name it", age: 3)
    status.volatileStore = GatewayStatus.Failure(text: "in memory", remedy: "end it", age: 9)
    status.mountings = [
      .init(
        fault: MountingFault(
          .turned, [status.boards[0].address], at: ["left ankle"], degrees: 85))
    ]
    status.judge()
    #expect(status.troubles.count == 10)
    #expect(GatewayStatus(json: try JSON(parsing: Array(status.json.text.utf8))) == status)
  }

  @Test func `the JSON members are in a fixed order, and unknown values are null`() throws {
    var status = try Self.status()
    status.judge()
    #expect(
      status.json.text == #"""
        {"works":true,"level":"ok","verdict":"works",\#
        "summary":"works: recording 2 boards with positions",\#
        "phone":{"text":"recording 2 boards with positions","remedy":""},"version":"1.0",\#
        "uptime":100,"troubles":[],"recording":{"phase":"recording","phaseAge":90,\#
        "rule":"always","when":"the gateway always records","isStopped":false,"pause":null,\#
        "session":"\#(UniqueID(high: 1, low: 2))","participant":null,"elapsed":88,"restarts":1,\#
        "failure":{"text":"no adapter","remedy":"plug it in","age":95,\#
        "phone":{"text":"no adapter","remedy":"plug it in"}},"standby":null},\#
        "boards":[{"address":"C8:4B:AA:97:50:05","name":"left","phase":"streaming",\#
        "phaseAge":88,"sampleAge":0.2,"battery":80,"rssi":-60,"isAnswering":false,\#
        "isCrowdedOut":false,"streams":[{"signal":"acceleration","requestedRate":100,\#
        "measuredRate":98.5,"received":12345,"lost":{"link":3,"disconnected":120},\#
        "silence":null,"missing":0}],"sensorStarts":0,"links":0,"isHeard":true,\#
        "reception":"good","condition":{"level":"ok","subject":"left",\#
        "text":"it is sending samples","age":null,"remedy":"",\#
        "phone":{"text":"it is sending samples","remedy":""}}},\#
        {"address":"C8:4B:AA:98:51:08","name":"right","phase":"streaming","phaseAge":88,\#
        "sampleAge":0.1,"battery":null,"rssi":null,"isAnswering":false,"isCrowdedOut":false,\#
        "streams":[],"sensorStarts":0,"links":0,"isHeard":true,"reception":null,\#
        "condition":{"level":"ok","subject":"right","text":"it is sending samples","age":null,\#
        "remedy":"","phone":{"text":"it is sending samples","remedy":""}}}],\#
        "bluetooth":{"isReady":true,"obstacle":null,"remedy":"","age":95,\#
        "phone":{"text":"","remedy":""}},"adapters":[],\#
        "receiver":{"source":"/dev/gps0","state":"3D fix","stateAge":60,"isCurrent":true,\#
        "fixAge":0.5,"portResets":0,"portProblem":null,"isHelpless":false,"problem":null},\#
        "clock":{"isSynchronised":true,"uncertainty":0.02},\#
        "store":{"path":"/var/lib/footbridge/recording.sqlite","used":1000000,\#
        "free":10000000000,"space":"ok","spaceAge":500,"bytesPerDay":50000000,"daysLeft":200,\#
        "age":3},"uploads":[{"destination":"home","isEnabled":true,"sent":10,"waiting":2,\#
        "waitingBytes":30000,"parked":0,"successAge":60,"retry":null,"error":"","age":3,\#
        "activity":"sends","phone":{"text":"","remedy":""}}],"unknownDestinations":[],\#
        "sharing":null,"refusedConfiguration":null,"missingPage":null,"volatileStore":null,\#
        "mountings":[]}
        """#)
  }

  @Test(arguments: ["{}", "[]", "null", #"{"recording":{"phase":"flying"},"clock":{}}"#])
  func `JSON that is not a status is rejected`(_ text: String) throws {
    #expect(GatewayStatus(json: try JSON(parsing: Array(text.utf8))) == nil)
  }

  @Test func `a gateway that receives samples and positions is reported as working`() throws {
    var status = try Self.status()
    status.judge()
    #expect(status.troubles.isEmpty)
    #expect(status.works)
    #expect(status.sentence == "works: recording 2 boards with positions")
  }

  @Test func `the banner names every silent board`() throws {
    var status = try Self.status()
    for index in status.boards.indices {
      status.boards[index].phase = .reconnecting
      status.boards[index].sampleAge = 30
    }
    status.judge()
    #expect(status.sentence == "does not work: no board is sending (left, right)")
    status.boards[1].phase = .streaming
    status.boards[1].sampleAge = 0
    status.judge()
    #expect(status.sentence == "does not work: left: its link is lost")
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var change: @Sendable (inout GatewayStatus) -> Void
    var level: GatewayStatus.Trouble.Level
    var words: String

    var testDescription: String { words }
  }

  static let cases = [
    Case(
      change: {
        $0.boards[0].phase = .reconnecting
        $0.boards[0].sampleAge = 12
      }, level: .fault, words: "left: its link is lost"),
    Case(
      change: {
        $0.boards[0].phase = .reconnecting
        $0.boards[0].sampleAge = 40
        $0.bluetooth?.age = 2
      }, level: .fault, words: "left: it is reconnecting"),
    Case(
      change: {
        $0.boards[1].phase = .missing
        $0.boards[1].sampleAge = nil
      }, level: .fault, words: "right: it was not found"),
    Case(
      change: {
        $0.boards[1].phase = .missing
        $0.boards[1].sampleAge = nil
        $0.boards[1].isCrowdedOut = true
      }, level: .fault, words: "right: all Bluetooth adapters are full"),
    Case(
      change: { $0.boards[0].sampleAge = 10 }, level: .fault,
      words: "left: it is not sending samples"),
    Case(
      change: {
        $0.boards[0].isAnswering = true
        $0.boards[0].streams[0].silence = 10
      }, level: .fault, words: "left: it responds, but sends no acceleration"),
    Case(
      change: { $0.boards[0].battery = 15 }, level: .warning,
      words: "left: its battery is at 15 %"),
    Case(
      change: {
        $0.receiver?.state = .unplugged
        $0.receiver?.fixAge = 91
      }, level: .fault, words: "receiver: there is no position (unplugged)"),
    Case(
      change: {
        $0.receiver?.state = .unplugged
        $0.receiver?.stateAge = 6
        $0.receiver?.problem = LiveStatus.Obstacle(
          text: "it is not a serial port", remedy: "check that it is a serial port")
      }, level: .fault, words: "receiver: there is no position (it is not a serial port)"),
    Case(
      change: {
        $0.receiver?.state = .unplugged
        $0.receiver?.stateAge = 5
        $0.receiver?.fixAge = 6
      }, level: .fault, words: "receiver: there is no position (unplugged)"),
    Case(
      change: {
        $0.boards = $0.boards.map { board in
          var board = board
          board.phase = .reconnecting
          board.sampleAge = 40
          return board
        }
        $0.bluetooth?.obstacle = "bluetoothd is not running"
        $0.bluetooth?.remedy = "start it"
      }, level: .fault, words: "bluetooth: bluetoothd is not running"),
    Case(
      change: {
        $0.boards[0].phase = .reconnecting
        $0.boards[0].sampleAge = 300
        $0.boards[1].sampleAge = 300
        $0.adapters = [GatewayStatus.Adapter(name: "hci0", complaint: "hci0 hears no devices")]
        $0.adapters[0].help.switches = 1
      }, level: .fault, words: "bluetooth: hci0 hears no devices (switched off and on once)"),
    Case(
      change: {
        $0.bluetooth?.obstacle = "the Bluetooth adapter is off"
        $0.bluetooth?.remedy = "switch it on"
      }, level: .warning, words: "bluetooth: the Bluetooth adapter is off"),
    Case(
      change: {
        $0.recording.phase = .starting
        $0.recording.phaseAge = 70
        $0.bluetooth?.obstacle = "there is no Bluetooth adapter"
        $0.bluetooth?.remedy = "plug one in"
      }, level: .fault, words: "bluetooth: there is no Bluetooth adapter"),
    Case(
      change: {
        $0.refusedConfiguration = GatewayStatus.Failure(
          text: "cannot use the configuration /etc/f.conf: 1 fault", remedy: "/etc/f.conf:3: …",
          age: 4)
      }, level: .warning,
      words:
        "configuration: it was not reloaded: cannot use the configuration /etc/f.conf: 1 fault"),
    Case(
      change: {
        $0.missingPage = GatewayStatus.Failure(
          text: "cannot read /etc/page.key", remedy: "check that it exists", age: 4)
      }, level: .warning, words: "page: it is not being served: cannot read /etc/page.key"),
    Case(
      change: {
        $0.volatileStore = GatewayStatus.Failure(
          text: "overlay on overlayroot is a layer in memory", remedy: "end the overlay", age: 4)
      }, level: .fault, words: "store: overlay on overlayroot is a layer in memory"),
    Case(
      change: { $0.unknownDestinations = ["office"] }, level: .warning,
      words: "office: the store has no destination with this name"),
    Case(
      change: { $0.recording.phase = .retrying }, level: .fault, words: "recording: no adapter"),
    Case(
      change: {
        $0.recording.phase = .starting
        $0.recording.failure = nil
      }, level: .fault, words: "recording: no board has started"),
    Case(
      change: { $0.store?.space = .full }, level: .fault,
      words: "store: no space is left for recordings"),
    Case(
      change: { $0.store?.space = .low }, level: .warning,
      words: "store: little space is left for recordings"),
    Case(
      change: { $0.store?.bytesPerDay = 10_000_000_000 }, level: .warning,
      words: "store: the disk will be full in 24 h"),
    Case(
      change: {
        $0.clock.isSynchronised = false
        $0.receiver = nil
      }, level: .warning,
      words: "clock: it is not synchronised, so dates may be wrong"),
    Case(
      change: { $0.uploads[0].error = "no route to host" }, level: .warning,
      words: "home: no route to host"),
    Case(
      change: { status in
        status.mountings = [
          .init(
            fault: MountingFault(.swapped, status.boards.map(\.address), at: ["left", "right"]))
        ]
      }, level: .warning, words: "left: it seems to be swapped with right"),
    Case(
      change: { status in
        status.mountings = [
          .init(
            fault: MountingFault(.turned, [status.boards[0].address], at: ["left"], degrees: 85))
        ]
      }, level: .warning,
      words: "left: it is turned by 85° compared with the participant's last session"),
    Case(
      change: { status in
        status.mountings = [
          .init(fault: MountingFault(.loose, [status.boards[1].address], at: ["right"]))
        ]
      }, level: .warning, words: "right: its strap is loose: it moves on the body"),
    Case(
      change: { $0.uploads[0].parked = 4 }, level: .warning, words: "home: it rejected 4 chunks"),
  ]

  @Test(arguments: cases)
  func `each reported problem has a subject, a level and a remedy`(_ example: Case) throws {
    var status = try Self.status()
    example.change(&status)
    status.judge()
    let trouble = try #require(status.troubles.first)
    #expect(status.troubles.count == 1)
    #expect(trouble.level == example.level)
    #expect("\(trouble.subject): \(trouble.text)" == example.words)
    #expect(!trouble.remedy.isEmpty)
    #expect(status.works == (example.level == .warning))
  }

  @Test func `a board's state shows that the board is silent before the silence counts as a fault`()
    throws
  {
    var status = try Self.status()
    func condition(
      _ phase: LiveStatus.BoardPhase, sampleAge: Double?, phaseAge: Double = 88
    ) throws -> String {
      status.boards[0].phase = phase
      status.boards[0].phaseAge = phaseAge
      status.boards[0].sampleAge = sampleAge
      status.judge()
      let condition = try #require(status.boards[0].condition)
      #expect(status.works == (condition.level != .fault), "\(phase)")
      let age = condition.age.map { " (\(Int($0)) s)" } ?? ""
      return "\(condition.level.rawValue): \(condition.text)\(age)"
    }
    #expect(try condition(.streaming, sampleAge: 0.2) == "ok: it is sending samples")
    #expect(try condition(.streaming, sampleAge: 3) == "warning: it is not sending samples (3 s)")
    #expect(try condition(.streaming, sampleAge: 10) == "fault: it is not sending samples (10 s)")
    #expect(
      try condition(.reconnecting, sampleAge: 5, phaseAge: 4) == "warning: its link is lost (4 s)")
    #expect(
      try condition(.reconnecting, sampleAge: 11, phaseAge: 10) == "fault: its link is lost (11 s)")
    #expect(try condition(.watching, sampleAge: nil) == "ok: it is waiting for someone to walk")
    #expect(
      try condition(.missing, sampleAge: nil) == "fault: it was not found (90 s)")
    status.bluetooth = GatewayStatus.Bluetooth(
      obstacle: "Bluetooth is off", remedy: "bluetoothctl power on", age: 30)
    status.judge()
    let unreachable = try #require(status.boards[0].condition)
    #expect(unreachable.level == .unknown && unreachable.remedy.isEmpty)
    status.bluetooth?.obstacle = nil
    status.recording.phase = .starting
    #expect(try condition(.missing, sampleAge: nil) == "fault: it was not found (88 s)")
    status.recording.phaseAge = 20
    #expect(
      try condition(.missing, sampleAge: nil, phaseAge: 20) == "unknown: it was not found (20 s)")
    status.recording.phase = .recording
    status.recording.phaseAge = 1
    #expect(
      try condition(.streaming, sampleAge: nil)
        == "unknown: it is set up and waiting for the other boards")
  }

  @Test func `the JSON includes the text that the page shows on a phone`() throws {
    var status = try Self.status()
    status.recording.pause = 90
    status.recording.rule = RecordingWish.Rule(.walking)
    status.boards[0].rssi = -80
    status.judge()
    let json = try JSON(parsing: Array(status.json.text.utf8))
    #expect(json["level"]?.text == "warning" && json["verdict"]?.text == "works, but")
    let news = "recording: it is paused, and no samples are stored"
    #expect(json["summary"]?.text == "works, but \(news)" && json["phone"]?["text"]?.text == news)
    let trouble = try #require(json["troubles"]?.list?.first)
    #expect(trouble["remedy"]?.text == "continue with 'footbridge resume'")
    #expect(
      trouble["phone"]?["remedy"]?.text == "press Resume on a phone that may control the gateway")
    #expect(json["recording"]?["when"]?.text == "the gateway records while someone walks")
    #expect(json["boards"]?.list?.first?["reception"]?.text == "fair")
    #expect(json["uploads"]?.list?.first?["activity"]?.text == "sends")
  }

  @Test func `a receiver that is searching or was just unplugged is reported only after a while`()
    throws
  {
    var status = try Self.status()
    status.clock.isSynchronised = false
    status.receiver?.fixAge = nil
    status.receiver?.state = .searching
    status.recording.phaseAge = 89
    status.judge()
    // The unsynchronised clock is not reported until the receiver has had time to set it, either.
    #expect(status.troubles.isEmpty)
    status.receiver?.state = .unplugged
    status.receiver?.stateAge = 4
    status.judge()
    #expect(status.troubles.isEmpty)
    status.recording.phaseAge = 90
    status.judge()
    #expect(status.troubles.map(\.subject) == ["receiver", "clock"])
  }

  @Test func `a full disk is reported together with how long it has been full`() throws {
    var status = try Self.status()
    status.store?.space = .full
    status.judge()
    #expect(status.troubles.first?.age == 500)
  }

  @Test func `faults are listed before warnings`() throws {
    var status = try Self.status()
    status.boards[0].battery = 1
    status.store?.space = .full
    status.judge()
    #expect(status.troubles.map(\.subject) == ["store", "left"])
    #expect(status.sentence == "does not work: store: no space is left for recordings")
  }

  @Test func `a gateway is not at fault if it is not supposed to record`() throws {
    var status = try Self.status()
    status.recording.phase = .waiting
    status.boards[0].sampleAge = 1_000
    status.receiver?.state = .stale
    status.receiver?.fixAge = 1_000
    status.judge()
    #expect(status.works)
  }
}
