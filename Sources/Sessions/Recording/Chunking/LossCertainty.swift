/// How the lost samples of a stream are known.
///
/// A board that numbers its packets cannot count while its link is gone, and after a restart it
/// counts from zero: then time tells how many are missing, and the number is an estimate.
public enum LossCertainty: String, Hashable, Sendable, CaseIterable {
  /// Every lost sample was counted.
  case counted
  /// Some were counted, and the others are an estimate.
  case partlyEstimated = "partly estimated"
  /// All of them are an estimate.
  case estimated

  /// How `lost` samples are known, of which so many are an estimate. Where none is lost, how the
  /// stream would know it.
  public init(
    lost: UInt64, estimated: UInt64, of accounting: StreamDescription.LossAccounting
  ) {
    guard lost > 0 else {
      self = accounting == .counted ? .counted : .estimated
      return
    }
    self = estimated == 0 ? .counted : estimated < lost ? .partlyEstimated : .estimated
  }

  /// How a stream would know of losses that it does not have yet.
  public init(of accounting: StreamDescription.LossAccounting) {
    self.init(lost: 0, estimated: 0, of: accounting)
  }
}
