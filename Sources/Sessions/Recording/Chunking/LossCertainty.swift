/// Whether a stream's number of lost samples is counted or estimated.
///
/// A board that numbers its packets cannot count samples while its link is down, and its numbers
/// begin at zero after it restarts. In these cases, the number of missing samples is estimated from
/// the elapsed time.
public enum LossCertainty: String, Hashable, Sendable, CaseIterable {
  /// Every lost sample was counted.
  case counted
  /// Some lost samples were counted, and the others were estimated.
  case partlyEstimated = "partly estimated"
  /// The whole number is an estimate.
  case estimated

  /// Determines the certainty of a loss of which `estimated` samples were estimated. If nothing was
  /// lost, this is the certainty with which the stream would count a loss.
  public init(
    lost: UInt64, estimated: UInt64, of accounting: StreamDescription.LossAccounting
  ) {
    guard lost > 0 else {
      self = accounting == .counted ? .counted : .estimated
      return
    }
    self = estimated == 0 ? .counted : estimated < lost ? .partlyEstimated : .estimated
  }

  /// Determines the certainty for a stream without losses so far.
  public init(of accounting: StreamDescription.LossAccounting) {
    self.init(lost: 0, estimated: 0, of: accounting)
  }
}
