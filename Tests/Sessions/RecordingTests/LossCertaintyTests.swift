import Recording
import TestSupport
import Testing

/// The certainty of losses follows from the losses themselves, not from the kind of stream.
@Suite(.computation) struct LossCertaintyTests {
  @Test func `without a loss the certainty is that of the stream`() {
    #expect(LossCertainty(lost: 0, estimated: 0, of: .counted) == .counted)
    #expect(LossCertainty(lost: 0, estimated: 0, of: .estimated) == .estimated)
    #expect(LossCertainty(of: .counted) == .counted)
  }

  @Test(arguments: [StreamDescription.LossAccounting.counted, .estimated])
  func `with losses the certainty is that of the losses`(
    of accounting: StreamDescription.LossAccounting
  ) {
    #expect(LossCertainty(lost: 7, estimated: 0, of: accounting) == .counted)
    #expect(LossCertainty(lost: 7, estimated: 3, of: accounting) == .partlyEstimated)
    #expect(LossCertainty(lost: 7, estimated: 7, of: accounting) == .estimated)
  }

  @Test func `each certainty has its own words`() {
    #expect(
      LossCertainty.allCases.map(\.rawValue) == ["counted", "partly estimated", "estimated"])
  }
}
