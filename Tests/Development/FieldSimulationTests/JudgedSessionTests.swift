import Recording
import TestSupport
import Testing
import Values

@testable import FieldSimulation

/// The comparison of a session with its later state, which must reveal every change.
@Suite(.computation) struct JudgedSessionTests {
  private let session = JudgedSession(
    id: UniqueID(high: 1, low: 2),
    streams: [
      StoredStream(
        board: BoardAddress(value: 1), signal: "acceleration", words: [1, 2, 3], gaps: [gap(5)],
        rate: 10)
    ], fixes: [fix(1), fix(2)])

  private static func fix(_ second: Int64) -> Fix {
    let time = second * 1_000_000_000
    return Fix(
      arrival: BootTime(nanoseconds: time), utc: UTCTime(nanoseconds: time), latitude: 52,
      longitude: 4)
  }

  private static func gap(_ lost: UInt64) -> Gap {
    let time = BootTime(nanoseconds: 0)
    return Gap(start: time, end: time, lost: lost, isEstimate: false, reason: .link)
  }

  private func changes(_ change: (inout [StoredStream]) -> Void) -> Int {
    var later = session.streams
    change(&later)
    return session.changes(in: later, session.fixes).count
  }

  @Test func `a session that is later read with the same content is considered unchanged`() {
    #expect(changes { _ in } == 0)
  }

  @Test
  func `a missing stream, a different sample and a different loss count are reported as changes`() {
    #expect(changes { $0.removeAll() } == 1)
    #expect(changes { $0[0].words.append(4) } == 1)
    #expect(changes { $0[0].words.swapAt(0, 1) } == 1)
    #expect(changes { $0[0].gaps.removeAll() } == 1)
    #expect(changes { $0[0].gaps.append(Self.gap(1)) } == 1)
  }

  @Test func `a missing or repeated position is reported as a change`() {
    #expect(session.changes(in: session.streams, [Self.fix(1)]).count == 1)
    #expect(session.changes(in: session.streams, session.fixes + [Self.fix(2)]).count == 1)
  }
}
