/// The certainty of a stream's number of lost samples.
///
/// A board that numbers its packets cannot count while its link is down, and after a restart it
/// counts from zero. The number of missing samples is then estimated from time.
public enum LossCertainty: String, Hashable, Sendable, CaseIterable {
  /// Every lost sample was counted.
  case counted
  /// Some were counted, and the others are an estimate.
  case partlyEstimated = "partly estimated"
  /// All of them are an estimate.
  case estimated

  /// The certainty of `lost` samples, of which `estimated` are an estimate. Without a loss, it is
  /// the certainty with which the stream would count one.
  public init(
    lost: UInt64, estimated: UInt64, of accounting: StreamDescription.LossAccounting
  ) {
    guard lost > 0 else {
      self = accounting == .counted ? .counted : .estimated
      return
    }
    self = estimated == 0 ? .counted : estimated < lost ? .partlyEstimated : .estimated
  }

  /// The certainty with which a stream without losses would count them.
  public init(of accounting: StreamDescription.LossAccounting) {
    self.init(lost: 0, estimated: 0, of: accounting)
  }
}
