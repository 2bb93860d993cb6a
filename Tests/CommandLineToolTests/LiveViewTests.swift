import CommandLineTool
import Gateway
import Positioning
import Recording
import TestSupport
import Testing

@Suite(.computation) struct LiveViewTests {
  @Test func `a stream takes two lines on a usual terminal`() {
    var view = LiveView()
    #expect(
      view.render(sample(), width: 80) == [
        "recording  1:02:03  1 board  14,222 received  12 lost (10 link, 2 overflow)",
        "position   47.376887° N 8.541694° W  408.2 m  3D fix  9 sat  0.4 s ago",
        "",
        "MetaWear  C8:4B:AA:97:50:05  streaming",
        "  acceleration                     ▄  x  -0.012  y   0.998  z   0.051 g",
        "    100.2 Hz  [█████▌    ] 1,100/2,000   3 stored    7,111 received  12 lost",
        "  rotation                         ▄  x   120.5  y     0.0  z   -12.3 °/s",
        "     99.9 Hz  [          ]     0/2,000   3 stored    7,111 received  0 lost",
      ])
  }

  @Test func `a stream takes one line where there is room`() {
    var view = LiveView()
    #expect(
      Array(view.render(sample(), width: 160).suffix(2)) == [
        "  acceleration                     ▄  x  -0.012  y   0.998  z   0.051 g    "
          + "100.2 Hz  [█████▌    ] 1,100/2,000   3 stored    7,111 received  12 lost",
        "  rotation                         ▄  x   120.5  y     0.0  z   -12.3 °/s  "
          + " 99.9 Hz  [          ]     0/2,000   3 stored    7,111 received  0 lost",
      ])
  }

  @Test func `streams that are only looked at have no chunks, and their boards a signal strength`()
  {
    var view = LiveView(of: .streams)
    var status = sample()
    status.receiver = nil
    status.boards[0].rssi = -70
    #expect(
      view.render(status, width: 80) == [
        "streaming  1:02:03  1 board  14,222 received  12 lost (10 link, 2 overflow)",
        "",
        "MetaWear  C8:4B:AA:97:50:05  streaming  [██▌  ] -70 dBm",
        "  acceleration                     ▄  x  -0.012  y   0.998  z   0.051 g",
        "    100.2 of 100 Hz    7,111 received  12 lost",
        "  rotation                         ▄  x   120.5  y     0.0  z   -12.3 °/s",
        "     99.9 of 100 Hz    7,111 received  0 lost",
      ])
  }

  @Test func `no line is wider than the terminal, whatever a board calls itself`() {
    var view = LiveView()
    var status = sample()
    status.boards[0].identity.name = "左手首 with a very long name \u{1b}[2J and more"
    for width in 1...170 {
      for line in view.render(status, width: width) {
        #expect(TerminalText.width(of: line) <= width)
        #expect(!line.contains("\u{1b}"))
      }
    }
  }

  @Test func `a sparkline shows the last twenty rounds that brought samples`() throws {
    var view = LiveView()
    var status = sample()
    for round in 1...30 {
      status.boards[0].streams[0].received += 20
      status.boards[0].streams[0].latest = [Double(round), 0, 0]
      _ = view.render(status, width: 80)
    }
    let line = try #require(view.render(status, width: 80).first { $0.contains("acceleration") })
    #expect(line.hasPrefix("  acceleration  ▁▁▁▂▂▃▃▃▄▄▅▅▆▆▆▇▇███  x"))
  }

  @Test func `the noise of a board at rest looks like rest`() throws {
    var view = LiveView()
    var status = sample()
    for round in 1...20 {
      status.boards[0].streams[0].received += 20
      status.boards[0].streams[0].latest = [0, 0, 1 + Double(round % 3) * 0.001]
      _ = view.render(status, width: 80)
    }
    let line = try #require(view.render(status, width: 80).first { $0.contains("acceleration") })
    #expect(line.hasPrefix("  acceleration  ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄  x"))
  }

  @Test func `two boards with the same signal have sparklines of their own`() {
    var view = LiveView()
    var status = sample()
    var second = status.boards[0]
    second.identity.address = BoardAddress(value: 1)
    second.streams[0].latest = []
    second.streams[1].latest = []
    status.boards.append(second)
    let lines = view.render(status, width: 80)
    #expect(lines.count { $0.contains("▄") } == 2)
    #expect(lines.count { $0.contains("no sample yet") } == 2)
  }

  @Test func `before anything happened the view says what it waits for`() {
    var view = LiveView()
    var status = LiveStatus()
    status.boards = [
      LiveStatus.Board(
        identity: BoardIdentity(
          address: BoardAddress(value: 0xc84b_aa97_5005), name: "", model: "", firmware: ""),
        phase: .connecting)
    ]
    #expect(
      view.render(status, width: 80) == [
        "recording  waiting for samples  1 board  0 received  0 lost",
        "position   no source",
        "",
        "unnamed  C8:4B:AA:97:50:05  connecting",
      ])
  }

  @Test func `what the session amounts to stands below the position`() {
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
      view.render(status, width: 90)[2]
        == "walk       1,234 m  1.42 m/s  31 m up 4 m down (barometer)  1,612 steps  108/min  fix 97 %"
    )
  }

  @Test func `a receiver that fell silent shows where it was as the past, and how long ago`() {
    var view = LiveView()
    var status = sample()
    status.receiver = .lost
    status.fixAge = 75
    status.fix?.altitudeMSL = nil
    #expect(
      view.render(status, width: 80)[1]
        == "position   lost  last known 47.376887° N 8.541694° W  75 s ago")
    #expect(LiveView.plainLine(status).hasSuffix(", position lost"))
  }

  @Test func `a single value has no axis, and a unitless one no unit`() {
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
    let lines = view.render(status, width: 80)
    #expect(lines[4].hasSuffix("   21.1 °C"))
    #expect(lines[6].hasSuffix("x   0.500  y  -0.500  z   0.500  w   0.500"))
  }

  @Test func `what a board computed is shown by the names of its axes with three decimals`() {
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
    let lines = view.render(status, width: 120)
    #expect(lines[4].hasSuffix("pitch  -1.250  roll 360.000  yaw 120.063 °"))
    #expect(lines[6].hasSuffix("w   1.000  x   0.000  y  -0.500  z       –"))
  }

  @Test func `the movement of what a board computed is seen in its sparkline`() throws {
    var view = LiveView()
    var status = sample()
    status.boards[0].streams[0].description.rawForm = .float
    status.boards[0].streams[0].description.countsPerUnit = 1
    for round in 1...20 {
      status.boards[0].streams[0].received += 20
      status.boards[0].streams[0].latest = [Double(round) / 20, 0, 0]
      _ = view.render(status, width: 80)
    }
    let line = try #require(view.render(status, width: 80).first { $0.contains("acceleration") })
    #expect(line.contains("▁"))
    #expect(line.contains("█"))
  }

  @Test func `a log gets the whole status in one line`() {
    #expect(
      LiveView.plainLine(sample()) == "1:02:03, 1 of 1 board streaming, 200.1 Hz, 14,222 received, "
        + "12 lost (10 link, 2 overflow), 6 chunks stored, "
        + "position 47.376887° N 8.541694° W (3D fix)")
    #expect(
      LiveView.plainLine(LiveStatus()) == "0:00, 0 of 0 boards streaming, 0.0 Hz, 0 received, "
        + "0 lost, 0 chunks stored, no position source")
  }

  @Test func `without a terminal a line is written every five seconds of recording`() throws {
    let output = MemorySink()
    var display = LiveDisplay(on: Console(output: output, errors: MemorySink()))
    var status = LiveStatus()
    for round in 0...60 {
      status.elapsed = Double(round) / 5
      try display.show(status)
    }
    #expect(
      output.text.split(separator: "\n").map { $0.prefix(4) } == ["0:00", "0:05", "0:10"])
  }

  @Test func `on a terminal every status is painted over the one before`() throws {
    let output = MemorySink(terminal: TerminalSize(columns: 80, rows: 24))
    var display = LiveDisplay(on: Console(output: output, errors: MemorySink()))
    var status = sample()
    try display.show(status)
    status.elapsed += 1
    try display.show(status)
    var terminal = TinyTerminal()
    terminal.feed(output.text)
    try #require(terminal.lines.count == 8)
    #expect(terminal.lines[0].hasPrefix("recording  1:02:04"))
  }

  /// One board with two streams an hour into a recording.
  private func sample() -> LiveStatus {
    var status = LiveStatus()
    status.elapsed = 3_723.4
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
