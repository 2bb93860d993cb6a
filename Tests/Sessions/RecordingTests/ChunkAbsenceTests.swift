import Recording
import TestSupport
import Testing
import Values

/// Samples that are missing at the end of an interrupted recording.
@Suite(.computation) struct ChunkAbsenceTests {
  private static let board = BoardAddress(value: 5)
  private static let last = BootTime(nanoseconds: 1_000_000_000)

  /// A chunk with 100 samples per second, whose last sample arrived at `last`.
  private var chunk: Chunk {
    Chunk(
      id: .random(), session: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
      board: BoardIdentity(address: Self.board, name: "n", model: "m", firmware: "1"),
      stream: StreamDescription(
        signal: "acceleration", unit: "g", countsPerUnit: 1, rate: 100, lossAccounting: .counted),
      sequence: 7, clock: Chunk.Clock(first: Self.last, period: 1e7), counters: [0],
      arrivals: [Self.last], columns: [[0], [0], [0]], gaps: [], fixes: [])
  }

  private func event(
    _ kind: SessionEvent.Kind, _ seconds: Double, board: BoardAddress? = nil
  ) -> SessionEvent {
    SessionEvent(kind, board: board, at: Self.last.advanced(bySeconds: seconds))
  }

  private func missing(_ events: [SessionEvent], until seconds: Double) -> [LossReason: UInt64] {
    let absence = chunk.absence(events: events, until: Self.last.advanced(bySeconds: seconds))
    let gaps = absence?.gaps ?? []
    #expect(gaps.allSatisfy { $0.isEstimate && $0.start == Self.last })
    return Dictionary(uniqueKeysWithValues: gaps.map { ($0.reason, $0.lost) })
  }

  @Test func `samples missing during a pause that lasts until a crash are attributed to the pause`()
  {
    #expect(missing([event(.paused, 0)], until: 20) == [.paused: 2_000])
    #expect(missing([event(.paused, 0.5)], until: 20) == [.paused: 1_950])
    // The pause was requested a moment before the last sample arrived.
    #expect(missing([event(.paused, -0.001)], until: 20) == [.paused: 2_000])
  }

  @Test
  func `samples missing before a session is continued, and during a later pause, are all counted`()
  {
    let continued = SessionEvent(
      .continued, board: nil, at: Self.last.advanced(bySeconds: 0.9), value: 0.9)
    #expect(missing([continued], until: 1) == [.interrupted: 100])
    #expect(
      missing([continued, event(.paused, 1)], until: 3) == [.paused: 200, .interrupted: 100])
  }

  @Test func `a pause that ended before the last sample does not explain later missing samples`() {
    let events = [event(.paused, -9), event(.resumed, -5)]
    #expect(missing(events, until: 1) == [:])
    #expect(missing(events, until: 20) == [.link: 2_000])
  }

  @Test func `samples missing during a pause just before a crash are attributed to that pause`() {
    let events = [
      event(.paused, 0), event(.resumed, 4), event(.paused, 5), event(.resumed, 7),
    ]
    #expect(missing(events, until: 7.5) == [.paused: 600])
    #expect(missing(events, until: 17) == [.paused: 600, .link: 1_100])
  }

  @Test func `a board that was lost before or during a pause is considered disconnected`() {
    let before = [event(.linkLost, 3, board: Self.board), event(.paused, 5)]
    #expect(missing(before, until: 20) == [.disconnected: 2_000])
    let during = [event(.paused, 0), event(.linkLost, 15, board: Self.board)]
    #expect(missing(during, until: 20) == [.paused: 1_500, .disconnected: 500])
    let again = during + [event(.reconnected, 17, board: Self.board)]
    #expect(missing(again, until: 20) == [.paused: 1_800, .disconnected: 200])
    let other = [event(.paused, 0), event(.linkLost, 15, board: BoardAddress(value: 6))]
    #expect(missing(other, until: 20) == [.paused: 2_000])
  }

  @Test func `no samples are considered missing once the boards are being stopped`() {
    #expect(missing([event(.paused, 0), event(.stopping, 5)], until: 20) == [.paused: 500])
    #expect(missing([event(.stopping, 0), event(.paused, 5)], until: 20) == [:])
  }

  /// Returns chunks of packets at 100 Hz with an outage of one second, after 60 packets. The
  /// packets' numbers do not reveal the outage.
  private func outage(later: Int, numbersTell: UInt32 = 0, cutAt: Int = 0) -> (Chunk, Chunk) {
    var (former, chunk) = (chunk, chunk)
    former.stream.isTallied = true
    chunk.stream.isTallied = true
    let arrivals = (0..<60 + later).map { packet in
      Self.last.advanced(bySeconds: Double(packet) / 100 + (packet < 60 ? 0 : 1))
    }
    let numbers = (0..<UInt32(60 + later)).map { $0 < 60 ? $0 : $0 + numbersTell }
    (former.arrivals, former.counters) = (Array(arrivals[..<cutAt]), Array(numbers[..<cutAt]))
    (chunk.arrivals, chunk.counters) = (Array(arrivals[cutAt...]), Array(numbers[cutAt...]))
    chunk.clock.first = Self.last.advanced(bySeconds: Double(cutAt) / 100)
    former.columns = Array(repeating: Array(repeating: 0, count: former.count), count: 3)
    chunk.columns = Array(repeating: Array(repeating: 0, count: chunk.count), count: 3)
    return (former, chunk)
  }

  @Test(arguments: [0, 30, 60])
  func `an outage just before a kill is counted even without a report from the board`(
    cutAt: Int
  ) throws {
    let (former, cut) = outage(later: 20, cutAt: cutAt)
    let chunk = cut.countingLastOutages(after: former)
    let gap = try #require(chunk.gaps.first)
    #expect(chunk.gaps.count == 1)
    #expect((gap.lost, gap.isEstimate, gap.reason) == (100, true, .link))
    #expect(gap.start == Self.last.advanced(bySeconds: 0.59))
    #expect(chunk.counters.last == 179)
    #expect(
      abs(chunk.time(at: chunk.count - 1).seconds(since: try #require(chunk.arrivals.last))) < 0.02)
  }

  @Test func `late packets and outages that were already counted are not counted again`() {
    let (_, counted) = outage(later: 20, numbersTell: 100)
    #expect(counted.countingLastOutages(after: nil) == counted)
    var (_, late) = outage(later: 200)
    // The link delivers the late packets after all.
    for row in 60..<late.count {
      late.arrivals[row] = Self.last.advanced(bySeconds: max(Double(row) / 100, 1.6))
    }
    #expect(late.countingLastOutages(after: nil) == late)
  }

  @Test func `each outage before a kill is counted, even if it is in the previous chunk`()
    throws
  {
    var (former, cut) = (chunk, chunk)
    former.stream.isTallied = true
    cut.stream.isTallied = true
    // 60 packets, then four groups of 20 packets after outages of 0.3, 0.2, 1.2 and 0.1 s.
    let pauses = [0, 0.3, 0.5, 1.7, 1.8]
    let arrivals = (0..<140).map { packet in
      Self.last.advanced(
        bySeconds: Double(packet) / 100 + pauses[packet < 60 ? 0 : (packet - 60) / 20 + 1])
    }
    (former.arrivals, former.counters) = (Array(arrivals[..<100]), Array(0..<100))
    (cut.arrivals, cut.counters) = (Array(arrivals[100...]), Array(100..<140))
    former.columns = Array(repeating: Array(repeating: 0, count: 100), count: 3)
    cut.columns = Array(repeating: Array(repeating: 0, count: 40), count: 3)
    let chunk = cut.countingLastOutages(after: former)
    #expect(chunk.gaps.map(\.lost) == [30, 20, 120])
    #expect(chunk.counters.first == 270 && chunk.counters.last == 309)
  }
}
