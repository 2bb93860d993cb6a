import Recording
import TestSupport
import Testing

/// The certainty of a stream's losses, which depends on the losses themselves and not on the type
/// of stream.
@Suite(.computation) struct LossCertaintyTests {
  @Test func `if there is no loss, the type of stream determines the certainty`() {
    #expect(LossCertainty(lost: 0, estimated: 0, of: .counted) == .counted)
    #expect(LossCertainty(lost: 0, estimated: 0, of: .estimated) == .estimated)
    #expect(LossCertainty(of: .counted) == .counted)
  }

  @Test(arguments: [StreamDescription.LossAccounting.counted, .estimated])
  func `if there are losses, they determine the certainty`(
    of accounting: StreamDescription.LossAccounting
  ) {
    #expect(LossCertainty(lost: 7, estimated: 0, of: accounting) == .counted)
    #expect(LossCertainty(lost: 7, estimated: 3, of: accounting) == .partlyEstimated)
    #expect(LossCertainty(lost: 7, estimated: 7, of: accounting) == .estimated)
  }

  @Test func `each certainty has a different wording`() {
    #expect(
      LossCertainty.allCases.map(\.rawValue) == ["counted", "partly estimated", "estimated"])
  }
}
