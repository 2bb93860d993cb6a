import CommandLineTool
import Gateway
import Positioning
import Recording
import Terminal
import TestSupport
import Testing
import Values

@Suite(.computation) struct LiveViewTests {
  @Test func `in the live view, a stream takes two lines on a terminal of standard height`() {
    var view = LiveView()
    #expect(
      texts(&view, sample(), width: 80) == [
        "recording  1:02:03  1 board  14,222 saved  12 lost (10 link, 2 overflow)",
        "position   47.376887° N 8.541694° W  408.2 m  3D fix  9 sat  0.4 s ago",
        "",
        "MetaWear  C8:4B:AA:97:50:05  streaming",
        "  acceleration                     ▄  x  -0.012  y   0.998  z   0.051 g",
        "    100.2 Hz       7,111 saved  12 lost",
        "  rotation                         ▄  x   120.5  y     0.0  z   -12.3 °/s",
        "     99.9 Hz       7,111 saved  0 lost",
      ])
  }

  @Test func `the live view shows a pause first, with its duration`() {
    var view = LiveView()
    var status = sample()
    status.pause = 75
    status.boards[0].streams[0].lost[.paused] = 7_500
    let lines = view.render(status, width: 80)
    #expect(
      lines.prefix(3).map(\.text)
        == [
          "PAUSED     1:15  no samples are stored",
          "recording  1:02:03  1 board  14,222 saved  7,512 lost (10 link, 2 overflow, 7,500 paused)",
          "position   not stored while paused",
        ].map { TerminalText.cut($0, to: 80) })
    #expect(lines[0].style == .alarming)
    // The boards are still sending samples, so no board is out of contact.
    for second in 1...10 {
      status.elapsed += 1
      status.pause = 75 + Double(second)
      for stream in 0...1 {
        status.boards[0].streams[stream].lost[.paused, default: 0] += 100
      }
      _ = view.render(status, width: 80)
    }
    #expect(texts(&view, status, width: 80)[4] == "MetaWear  C8:4B:AA:97:50:05  streaming")
  }

  @Test func `in the live view, a stream takes one line if the terminal is wide enough`() {
    var view = LiveView()
    #expect(
      Array(texts(&view, sample(), width: 160).suffix(2)) == [
        "  acceleration                     ▄  x  -0.012  y   0.998  z   0.051 g    "
          + "100.2 Hz       7,111 saved  12 lost",
        "  rotation                         ▄  x   120.5  y     0.0  z   -12.3 °/s  "
          + " 99.9 Hz       7,111 saved  0 lost",
      ])
  }

  @Test
  func `streams that are not recorded show samples received, and their boards the signal strength`()
  {
    var view = LiveView(of: .streams)
    var status = sample()
    status.receiver = nil
    status.boards[0].rssi = -70
    #expect(
      texts(&view, status, width: 80) == [
        "streaming  1:02:03  1 board  14,222 received  12 lost (10 link, 2 overflow)",
        "",
        "MetaWear  C8:4B:AA:97:50:05  streaming  [██▌  ] -70 dBm",
        "  acceleration                     ▄  x  -0.012  y   0.998  z   0.051 g",
        "    100.2 of 100 Hz    7,111 received  12 lost",
        "  rotation                         ▄  x   120.5  y     0.0  z   -12.3 °/s",
        "     99.9 of 100 Hz    7,111 received  0 lost",
      ])
  }

  @Test
  func `no line is wider than the terminal, even if a board's name is long and has control codes`()
  {
    var view = LiveView()
    var status = sample()
    status.boards[0].identity.name = "左手首 with a very long name \u{1b}[2J and more"
    for width in 1...170 {
      for line in texts(&view, status, width: width) {
        #expect(TerminalText.width(of: line) <= width)
        #expect(!line.contains("\u{1b}"))
      }
    }
  }

  @Test func `a sparkline shows the last twenty updates that contained samples`() throws {
    var view = LiveView()
    var status = sample()
    for round in 1...30 {
      status.boards[0].streams[0].received += 20
      status.boards[0].streams[0].latest = [Double(round), 0, 0]
      _ = texts(&view, status, width: 80)
    }
    let line = try #require(texts(&view, status, width: 80).first { $0.contains("acceleration") })
    #expect(line.hasPrefix("  acceleration  ▁▁▁▂▂▃▃▃▄▄▅▅▆▆▆▇▇███  x"))
  }

  @Test func `the noise of a board at rest is drawn as a flat line`() throws {
    var view = LiveView()
    var status = sample()
    for round in 1...20 {
      status.boards[0].streams[0].received += 20
      status.boards[0].streams[0].latest = [0, 0, 1 + Double(round % 3) * 0.001]
      _ = texts(&view, status, width: 80)
    }
    let line = try #require(texts(&view, status, width: 80).first { $0.contains("acceleration") })
    #expect(line.hasPrefix("  acceleration  ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄  x"))
  }

  @Test func `two boards with the same signal have separate sparklines`() {
    var view = LiveView()
    var status = sample()
    var second = status.boards[0]
    second.identity.address = BoardAddress(value: 1)
    second.streams[0].latest = []
    second.streams[1].latest = []
    status.boards.append(second)
    let lines = texts(&view, status, width: 80)
    #expect(lines.count { $0.contains("▄") } == 2)
    #expect(lines.count { $0.contains("no samples yet") } == 2)
  }

  @Test func `before the first sample, the view says that it is waiting for samples`() {
    var view = LiveView()
    var status = LiveStatus()
    status.boards = [
      LiveStatus.Board(
        identity: BoardIdentity(
          address: BoardAddress(value: 0xc84b_aa97_5005), name: "", model: "", firmware: ""),
        phase: .connecting)
    ]
    #expect(
      texts(&view, status, width: 80) == [
        "recording  waiting for samples  1 board  0 saved  0 lost  Ctrl-C ends it",
        "position   no source",
        "",
        "unnamed  C8:4B:AA:97:50:05  connecting",
      ])
  }

  @Test func `the session's statistics are shown below the position`() {
    var view = LiveView()
    var status = sample()
    status.statistics.elapsed = 1_000
    status.statistics.distance = 1_234.4
    status.statistics.speed = 1.42
    status.statistics.altitude = .init(source: .barometer, gain: 30.6, loss: 4.4)
    status.statistics.steps = [
      .init(board: BoardAddress(value: 1), source: .accelerometer, count: 1_612, cadence: 108.4),
      .init(board: BoardAddress(value: 2), source: .accelerometer, count: 1_610, cadence: 108.2),
    ]
    status.statistics.fixSeconds = 970
    #expect(
      texts(&view, status, width: 90)[2]
        == "walk       1,234 m  1.42 m/s  31 m up 4 m down (barometer)  1,612 steps  108/min  fix 97 %"
    )
  }

  @Test func `if the receiver is silent, the last position is shown as old, with its age`() {
    var view = LiveView()
    var status = sample()
    status.receiver = .lost
    status.fixAge = 75
    status.fix?.altitudeMSL = nil
    #expect(
      texts(&view, status, width: 80)[1]
        == "position   lost  last known 47.376887° N 8.541694° W  75 s ago")
    #expect(view.plainLine(status).hasSuffix(", position lost"))
  }

  @Test func `a single value has no axis label, and a value without a unit has no unit label`()
    throws
  {
    var view = LiveView()
    var status = sample()
    let temperature = StreamDescription(
      signal: "temperature", unit: "°C", axes: ["value"], countsPerUnit: 8, rate: 1,
      lossAccounting: .estimated)
    let quaternion = StreamDescription(
      signal: "orientation", unit: "", axes: ["x", "y", "z", "w"], countsPerUnit: 16_384, rate: 100,
      lossAccounting: .estimated)
    status.boards[0].streams = [temperature, quaternion].map(LiveStatus.Stream.init)
    status.boards[0].streams[0].latest = [21.125]
    status.boards[0].streams[1].latest = [0.5, -0.5, 0.5, 0.5]
    let lines = texts(&view, status, width: 80)
    try #require(lines.count == 8)
    #expect(lines[4].hasSuffix("   21.1 °C"))
    #expect(lines[6].hasSuffix("x   0.500  y  -0.500  z   0.500  w   0.500"))
  }

  @Test func `computed values are shown with their axis names and three decimals`()
    throws
  {
    var view = LiveView()
    var status = sample()
    let angles = StreamDescription(
      signal: "euler", unit: "°", axes: ["pitch", "roll", "yaw"], rawForm: .float,
      countsPerUnit: 1, rate: 100, lossAccounting: .counted)
    let quaternion = StreamDescription(
      signal: "quaternion", unit: "", axes: ["w", "x", "y", "z"], rawForm: .float,
      countsPerUnit: 1, rate: 100, lossAccounting: .counted)
    status.boards[0].streams = [angles, quaternion].map(LiveStatus.Stream.init)
    status.boards[0].streams[0].latest = [-1.25, 359.9996, 120.0625]
    status.boards[0].streams[1].latest = [1, 0, -0.5, Double.nan]
    let lines = texts(&view, status, width: 80)
    try #require(lines.count == 8)
    #expect(lines[4].hasSuffix("pitch  -1.250  roll 360.000  yaw 120.063 °"))
    #expect(lines[6].hasSuffix("w   1.000  x   0.000  y  -0.500  z       –"))
  }

  @Test func `a sparkline shows changes in computed values`() throws {
    var view = LiveView()
    var status = sample()
    status.boards[0].streams[0].description.rawForm = .float
    status.boards[0].streams[0].description.countsPerUnit = 1
    for round in 1...20 {
      status.boards[0].streams[0].received += 20
      status.boards[0].streams[0].latest = [Double(round) / 20, 0, 0]
      _ = texts(&view, status, width: 80)
    }
    let line = try #require(texts(&view, status, width: 80).first { $0.contains("acceleration") })
    #expect(line.contains("▁"))
    #expect(line.contains("█"))
  }

  @Test func `without a terminal, the complete status of a recording is printed on one line`() {
    var view = LiveView()
    #expect(
      view.plainLine(sample()) == "1:02:03, 1 of 1 board streaming, 200.1 Hz, 14,222 saved, "
        + "12 lost (10 link, 2 overflow), position 47.376887° N 8.541694° W (3D fix)")
    #expect(
      view.plainLine(LiveStatus()) == "0:00, looking for boards, 0.0 Hz, 0 saved, 0 lost, "
        + "no position source")
  }

  /// Returns the status of a recording whose only board has been silent for this number of seconds.
  private func outOfContact(
    _ view: inout LiveView, for seconds: Double, _ phase: LiveStatus.BoardPhase
  ) -> LiveStatus {
    var status = sample()
    _ = view.render(status, width: 80)
    status.boards[0].phase = phase
    status.pass(seconds)
    return status
  }

  @Test(arguments: [LiveStatus.BoardPhase.reconnecting, .streaming])
  func `the view shows how long a board has been out of contact, and estimates its missing samples`(
    phase: LiveStatus.BoardPhase
  ) {
    var view = LiveView()
    let status = outOfContact(&view, for: 13.5, phase)
    let lines = view.render(status, width: 100)
    #expect(
      lines.map(\.text) == [
        "recording  1:02:16  1 board  14,222 saved  "
          + "~2,712 lost (10 link, 2 overflow, ~2,700 out of contact)",
        "position   47.376887° N 8.541694° W  408.2 m  3D fix  9 sat  0.4 s ago",
        "",
        "MetaWear  C8:4B:AA:97:50:05  lost contact 13 s",
        "  acceleration                     ▄  x  -0.012  y   0.998  z   0.051 g",
        "        – Hz       7,111 saved  ~1,362 lost",
        "  rotation                         ▄  x   120.5  y     0.0  z   -12.3 °/s",
        "        – Hz       7,111 saved  ~1,350 lost",
      ])
    #expect(
      lines.map(\.style) == [
        .notable, .plain, .plain, .alarming, .faded, .faded, .faded, .faded,
      ])
    #expect(
      view.plainLine(status).hasPrefix(
        "1:02:16, 0 of 1 board streaming, 0.0 Hz, MetaWear lost contact 13 s, 14,222 saved, ~2,712")
    )
  }

  @Test func `the first samples after a reconnection replace the estimate of missing samples`() {
    var view = LiveView()
    var status = outOfContact(&view, for: 13.5, .reconnecting)
    _ = view.render(status, width: 80)
    status.boards[0].phase = .streaming
    for index in 0...1 {
      status.boards[0].streams[index].received += 5
      status.boards[0].streams[index].lastSample = status.time
      status.boards[0].streams[index].lost[.disconnected] = 1_349
    }
    let lines = view.render(status, width: 100)
    #expect(lines[0].text.contains("2,710 lost (10 link, 2,698 disconnected, 2 overflow)"))
    #expect(lines.dropFirst().allSatisfy { $0.style == .plain })
  }

  @Test func `if one of a board's streams falls silent, only that stream is dimmed`() throws {
    var view = LiveView()
    var status = outOfContact(&view, for: 5, .streaming)
    status.boards[0].streams[0].received += 500
    status.boards[0].streams[0].lastSample = status.time
    let lines = view.render(status, width: 100)
    try #require(lines.count == 8)
    #expect(lines.map(\.style).suffix(5) == [.plain, .plain, .plain, .faded, .faded])
    #expect(lines[3].text.hasSuffix("streaming"))
    #expect(lines[7].text.hasSuffix("~500 lost"))
  }

  @Test func `a slow stream is considered silent only after several of its intervals`() {
    var view = LiveView()
    var status = sample()
    for index in 0...1 { status.boards[0].streams[index].description.rate = 0.1 }
    _ = view.render(status, width: 80)
    status.pass(25)
    #expect(view.render(status, width: 80).allSatisfy { $0.style != .faded })
    status.pass(10.5)
    #expect(view.render(status, width: 80)[3].text.hasSuffix("lost contact 35 s"))
  }

  @Test
  func `a board out of contact shows its last battery charge, but no signal strength or cadence`() {
    var view = LiveView(of: .streams)
    var status = sample()
    status.boards[0].rssi = -70
    status.boards[0].battery = 85
    status.statistics.distance = 40
    status.statistics.steps = [
      .init(
        board: status.boards[0].identity.address, source: .accelerometer, count: 23, cadence: 109)
    ]
    _ = view.render(status, width: 100)
    status.pass(13.5)
    #expect(
      view.render(status, width: 100)[3].text
        == "MetaWear  C8:4B:AA:97:50:05  lost contact 13 s  –  battery was 85 %")
    var recording = LiveView()
    status.pass(-13.5)
    #expect(texts(&recording, status, width: 100)[2].contains("23 steps  109/min"))
    status.pass(13.5)
    #expect(texts(&recording, status, width: 100)[2].contains("23 steps  fix"))
  }

  @Test func `a board without samples is shown as ready, and as streaming after its first sample`()
  {
    var view = LiveView()
    var status = sample()
    for index in 0...1 { status.boards[0].streams[index].received = 0 }
    #expect(texts(&view, status, width: 100)[3].hasSuffix("  ready"))
    status.boards[0].streams[1].received = 1
    #expect(texts(&view, status, width: 100)[3].hasSuffix("  streaming"))
  }

  @Test func `boards with the same name are distinguished in the log`() {
    var view = LiveView()
    var status = sample()
    var second = status.boards[0]
    second.identity.address = BoardAddress(value: 0xc84b_aa98_5108)
    status.boards.append(second)
    _ = view.plainLine(status)
    status.pass(13.5)
    #expect(
      view.plainLine(status)
        .contains("MetaWear 50:05 lost contact 13 s, MetaWear 51:08 lost contact 13 s"))
  }

  @Test func `battery charge and signal strength are shown beside a board if they are known`() {
    var view = LiveView()
    var status = sample()
    status.boards[0].rssi = -70
    status.boards[0].battery = 85
    #expect(
      view.render(status, width: 80)[3]
        == ViewLine("MetaWear  C8:4B:AA:97:50:05  streaming  [██▌  ] -70 dBm  battery 85 %"))
    status.boards[0].battery = 15
    #expect(
      view.render(status, width: 90)[3]
        == ViewLine(
          "MetaWear  C8:4B:AA:97:50:05  streaming  [██▌  ] -70 dBm  battery 15 %, low", .notable))
  }

  @Test func `styles are used only on terminals that support them, and do not change the text`() {
    for hasColour in [true, false] {
      let output = MemorySink(
        terminal: TerminalSize(columns: 100, rows: 24), hasColour: hasColour)
      let console = Console(output: output, errors: MemorySink())
      var display = LiveDisplay(on: console)
      var status = sample()
      display.show(status)
      status.boards[0].phase = .reconnecting
      status.pass(13.5)
      display.show(status)
      console.close()
      var terminal = TinyTerminal()
      terminal.feed(output.text)
      #expect(terminal.lines.contains("MetaWear  C8:4B:AA:97:50:05  lost contact 13 s"))
      #expect(output.text.contains("\u{1b}[1;31m") == hasColour)
      #expect(output.text.contains("\u{1b}[2m") == hasColour)
    }
  }

  @Test func `without a terminal, a line is written every five seconds of recording`() throws {
    let output = MemorySink()
    let console = Console(output: output, errors: MemorySink())
    var display = LiveDisplay(on: console)
    var status = LiveStatus()
    for round in 0...60 {
      status.elapsed = Double(round) / 5
      display.show(status)
    }
    console.close()
    #expect(
      output.text.split(separator: "\n").map { $0.prefix(4) } == ["0:00", "0:05", "0:10"])
  }

  @Test func `on a terminal, each status replaces the previous one`() throws {
    let output = MemorySink(terminal: TerminalSize(columns: 80, rows: 24))
    let console = Console(output: output, errors: MemorySink())
    var display = LiveDisplay(on: console)
    var status = sample()
    display.show(status)
    status.elapsed += 1
    display.show(status)
    console.close()
    var terminal = TinyTerminal()
    terminal.feed(output.text)
    try #require(terminal.lines.count == 8)
    #expect(terminal.lines[0].hasPrefix("recording  1:02:04"))
  }

  @Test(arguments: 1...7)
  func `the first line of the live view is shown even on a terminal with a single line`(
    rows: Int
  )
    throws
  {
    let output = MemorySink(terminal: TerminalSize(columns: 20, rows: rows))
    let console = Console(output: output, errors: MemorySink())
    var display = LiveDisplay(on: console)
    display.show(sample(), footer: [ViewLine("h hazard  n note"), ViewLine("p pause  e end")])
    console.close()
    var terminal = TinyTerminal()
    terminal.feed(output.text)
    #expect(terminal.lines.first?.hasPrefix("recording  1:02:0") == true)
    #expect(terminal.lines.count < max(2, rows))
  }

  /// Returns the view's text without style sequences.
  private func texts(
    _ view: inout LiveView, _ status: LiveStatus, width: Int
  ) -> [String] {
    view.render(status, width: width).map(\.text)
  }

  /// Returns the status of one board with two streams, an hour into a recording.
  private func sample() -> LiveStatus {
    var status = LiveStatus()
    status.elapsed = 3_723.4
    status.time = BootTime(nanoseconds: 9_000_000_000_000)
    status.receiver = .fix3D
    status.fixAge = 0.45
    status.fix = Fix(
      arrival: BootTime(nanoseconds: 0), utc: UTCTime(nanoseconds: 0), latitude: 47.3768866,
      longitude: -8.541694, altitudeMSL: 408.2, satellites: 9, isThreeDimensional: true)
    var streams = [("acceleration", "g", 8_192.0), ("rotation", "°/s", 16.4)].map {
      signal, unit, counts in
      LiveStatus.Stream(
        description: StreamDescription(
          signal: signal, unit: unit, countsPerUnit: counts, rate: 100,
          lossAccounting: .counted))
    }
    for index in streams.indices {
      streams[index].received = 7_111
      streams[index].lastSample = status.time
      streams[index].storedChunks = 3
    }
    streams[0].latest = [-0.0123, 0.9984, 0.0512]
    streams[0].measuredRate = 100.21
    streams[0].openChunkCount = 1_100
    streams[0].lost = [.link: 10, .overflow: 2]
    streams[1].latest = [120.5, 0, -12.34]
    streams[1].measuredRate = 99.9
    let identity = BoardIdentity(
      address: BoardAddress(value: 0xc84b_aa97_5005), name: "MetaWear", model: "MetaMotion S",
      firmware: "1.7.2")
    status.boards = [LiveStatus.Board(identity: identity, phase: .streaming, streams: streams)]
    return status
  }
}

extension LiveStatus {
  /// Advances the time without adding samples.
  fileprivate mutating func pass(_ seconds: Double) {
    elapsed += seconds
    time = time.advanced(bySeconds: seconds)
  }
}
