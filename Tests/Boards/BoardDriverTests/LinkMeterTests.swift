@testable import BoardDriver
import TestSupport
import Testing
import Values

/// A synthetic link: its notifications wait for the next connection event, and then for the daemon.
private struct SyntheticLink {
  /// Milliseconds between connection events, or 0 for a link without delay.
  var interval: Double
  /// The milliseconds between packets and before the first packet, for each stream.
  var streams: [(period: Double, phase: Double)]
  /// The longest delay in the daemon, in milliseconds.
  var jitter = 0.4
  /// The share of connection events that fail. A failure delays all packets until the next event.
  var failures = 0.0
  var generator: SeededGenerator

  /// Returns the packets that arrive within the given number of seconds, in chronological order.
  mutating func arrivals(seconds: Double) -> [(milliseconds: Double, stream: UInt8)] {
    var meetings: [Int: Int] = [:]
    var failed: Set<Int> = []
    if interval > 0 {
      for meeting in 0...Int(seconds * 1_000 / interval) + 1
      where generator.unit() < failures { failed.insert(meeting) }
    }
    var arrivals: [(milliseconds: Double, stream: UInt8)] = []
    for (stream, beat) in streams.enumerated() {
      var measured = beat.phase
      while measured < seconds * 1_000 {
        var arrival = measured
        if interval > 0 {
          var meeting = Int((measured / interval).rounded(.up))
          while failed.contains(meeting) { meeting += 1 }
          // Packets are 0.7 ms apart within a connection event.
          arrival = Double(meeting) * interval + 0.7 * Double(meetings[meeting, default: 0])
          meetings[meeting, default: 0] += 1
        }
        arrivals.append((arrival + jitter * generator.unit(), UInt8(stream)))
        measured += beat.period
      }
    }
    return arrivals.sorted { $0.milliseconds < $1.milliseconds }
  }

  mutating func measure(seconds: Double = 10) -> LinkMeasurement? {
    var meter = LinkMeter()
    for arrival in arrivals(seconds: seconds) {
      meter.take(
        BootTime(nanoseconds: Int64(arrival.milliseconds * 1_000_000)), stream: arrival.stream)
    }
    return meter.latest
  }
}

@Suite(.computation) struct LinkMeterTests {
  struct Case: CustomTestStringConvertible {
    let name: String
    let interval: Double
    let streams: [(period: Double, phase: Double)]
    var failures = 0.0
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "7.5 ms, two streams of 100 Hz", interval: 7.5, streams: [(10, 0), (10, 3.1)]),
    Case(name: "11.25 ms, two streams of 100 Hz", interval: 11.25, streams: [(10, 0), (10, 3.1)]),
    Case(name: "15 ms, two streams of 100 Hz", interval: 15, streams: [(10, 0), (10, 3.1)]),
    Case(name: "30 ms, one stream of 100 Hz", interval: 30, streams: [(10, 0)]),
    Case(name: "48.75 ms, two streams of 100 Hz", interval: 48.75, streams: [(10, 0), (10, 5)]),
    Case(name: "7.5 ms, one stream of 25 Hz", interval: 7.5, streams: [(40, 0)]),
    Case(name: "15 ms, a board 1.3 % fast", interval: 15, streams: [(9.87, 0), (9.87, 2)]),
    Case(
      name: "30 ms, a meeting of twenty lost", interval: 30, streams: [(10, 0), (10, 5)],
      failures: 0.05),
    Case(
      name: "7.5 ms, a meeting of ten lost", interval: 7.5, streams: [(10, 0), (10, 3.1)],
      failures: 0.1),
  ]

  @Test(arguments: cases)
  func `the meter finds a link's connection interval from packets that the link delays`(
    _ test: Case
  ) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var link = SyntheticLink(
      interval: test.interval, streams: test.streams, failures: test.failures,
      generator: SeededGenerator(seed: seed))
    let measured = link.measure()
    let measurement = try #require(measured, "seed \(seed)")
    guard case .measured(let milliseconds) = measurement.interval else {
      Issue.record("\(String(describing: measurement.interval)), seed \(seed)")
      return
    }
    #expect(abs(milliseconds - test.interval) < 0.3, "seed \(seed)")
  }

  @Test func `from packets at a constant spacing, the meter derives only an upper bound`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    for interval in [0, 10] {
      var link = SyntheticLink(
        interval: Double(interval), streams: [(10, 0.5)], generator: SeededGenerator(seed: seed))
      let measured = link.measure()
      let measurement = try #require(measured, "seed \(seed)")
      guard case .atMost(let milliseconds) = measurement.interval else {
        Issue.record("\(String(describing: measurement.interval)), seed \(seed)")
        return
      }
      #expect(abs(milliseconds - 10) < 0.1, "seed \(seed)")
    }
  }

  @Test func `no connection interval is derived from packets that arrive at arbitrary times`()
    throws
  {
    var generator = SeededGenerator(seed: 7)
    var meter = LinkMeter()
    var time = 0.0
    for _ in 0..<1_000 {
      time += 8 + 30 * generator.unit()
      meter.take(BootTime(nanoseconds: Int64(time * 1_000_000)), stream: 0)
    }
    let measurement = try #require(meter.latest)
    #expect(measurement.interval == nil)
  }

  @Test func `the samples of one packet are counted as one arrival`() throws {
    var meter = LinkMeter()
    for packet in 0..<200 {
      for _ in 0..<3 {
        meter.take(BootTime(nanoseconds: Int64(packet) * 30_000_000), stream: 0)
      }
    }
    let measurement = try #require(meter.latest)
    #expect(measurement.interval == .atMost(milliseconds: 30))
  }

  @Test func `a pause between packets restarts the measurement of the connection interval`() throws
  {
    var meter = LinkMeter()
    var time: Int64 = 0
    for packet in 0..<500 {
      time += packet % 200 == 199 ? 3_000_000_000 : 15_000_000
      meter.take(BootTime(nanoseconds: time), stream: 0)
      meter.take(BootTime(nanoseconds: time + 500_000), stream: 0)
    }
    let measurement = try #require(meter.latest)
    #expect(measurement.interval == .measured(milliseconds: 15))
  }

  @Test func `no measurement is reported before enough packets have arrived`() {
    var meter = LinkMeter()
    for packet in 0..<LinkMeter.spacingCount {
      meter.take(BootTime(nanoseconds: Int64(packet) * 15_000_000), stream: 0)
    }
    #expect(meter.latest == nil)
    meter.take(BootTime(nanoseconds: Int64(LinkMeter.spacingCount) * 15_000_000), stream: 0)
    #expect(meter.latest != nil)
  }
}
