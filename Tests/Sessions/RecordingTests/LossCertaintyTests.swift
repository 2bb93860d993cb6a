import Recording
import TestSupport
import Testing

/// The certainty of a stream's losses, which depends on the losses themselves and not on the type
/// of stream.
@Suite(.computation) struct LossCertaintyTests {
  @Test
  func `if nothing is lost, the type of stream decides whether the loss count is an estimate`() {
    #expect(LossCertainty(lost: 0, estimated: 0, of: .counted) == .counted)
    #expect(LossCertainty(lost: 0, estimated: 0, of: .estimated) == .estimated)
    #expect(LossCertainty(of: .counted) == .counted)
  }

  @Test(arguments: [StreamDescription.LossAccounting.counted, .estimated])
  func `a loss count is estimated if all losses are, and partly estimated if only some of them are`(
    of accounting: StreamDescription.LossAccounting
  ) {
    #expect(LossCertainty(lost: 7, estimated: 0, of: accounting) == .counted)
    #expect(LossCertainty(lost: 7, estimated: 3, of: accounting) == .partlyEstimated)
    #expect(LossCertainty(lost: 7, estimated: 7, of: accounting) == .estimated)
  }

  @Test func `counted, partly estimated and estimated losses are described in different words`() {
    #expect(
      LossCertainty.allCases.map(\.rawValue) == ["counted", "partly estimated", "estimated"])
  }
}
