import Recording
import TestSupport
import Testing
import Values

@testable import Gateway

@Suite(.computation) struct ClosedSessionTests {
  private static let stream = StreamDescription(
    signal: "acceleration", unit: "g", countsPerUnit: 1, rate: 100, lossAccounting: .counted)

  private func words(_ change: (inout RecorderTotals.Stream) -> Void) -> [String] {
    var stream = RecorderTotals.Stream(board: 0, description: Self.stream)
    change(&stream)
    var totals = RecorderTotals()
    totals.streams = [stream, stream]
    let event = LogEvent(closed: UniqueID(high: 1, low: 2), totals)
    return event.details.dropFirst().map { "\($0.name)=\($0.value)" }
  }

  @Test
  func `the log entry for a closed session counts its stored, held and lost samples, with reasons`()
  {
    #expect(words { $0.stored = 30 } == ["stored=60", "held=0", "lost=0"])
    // These samples are only in the tail, as they would be on a full disk.
    #expect(words { $0.held = 30 } == ["stored=0", "held=60", "lost=0"])
    #expect(
      words {
        $0.stored = 5
        $0.lost = [.store: 7, .link: 1]
      } == ["stored=10", "held=0", "lost=16", "reasons=link 2, store 14"])
  }
}
