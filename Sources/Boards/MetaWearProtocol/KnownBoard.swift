/// A model whose modules are known, by the word typed for it.
///
/// Those that `footbridge simulate` has too go by the same word there.
public enum KnownBoard: String, CaseIterable, Hashable, Sendable {
  /// MetaMotion S.
  case metaMotionS = "S"
  /// MetaMotion RL.
  case metaMotionRL = "RL"
  /// MetaMotion R.
  case metaMotionR = "MMR"
  /// MetaMotion C.
  case metaMotionC = "MMC"
  /// MetaWear R.
  case metaWearR = "R"
  /// MetaWear RG.
  case metaWearRG = "RG"
  /// MetaWear RPro.
  case metaWearRPro = "RPro"
  /// MetaWear C.
  case metaWearC = "C"
  /// MetaWear CPro.
  case metaWearCPro = "CPro"
  /// MetaDetector.
  case metaDetector = "MetaDetector"
  /// MetaEnvironment.
  case metaEnvironment = "ENV"
  /// MetaTracker.
  case metaTracker = "MetaTracker"
}

extension KnownBoard {
  /// The words with the products they stand for, for the help.
  public static let words =
    "S, RL, MMR, MMC (MetaMotion), R, RG, RPro, C, CPro (MetaWear), MetaDetector, "
    + "ENV (MetaEnvironment), MetaTracker"

  /// The model meant.
  public var model: Model {
    switch self {
    case .metaMotionS: .metaMotionS
    case .metaMotionRL: .metaMotionRL
    case .metaMotionR: .metaMotionR
    case .metaMotionC: .metaMotionC
    case .metaWearR: .metaWearR
    case .metaWearRG: .metaWearRG
    case .metaWearRPro: .metaWearRPro
    case .metaWearC: .metaWearC
    case .metaWearCPro: .metaWearCPro
    case .metaDetector: .metaDetector
    case .metaEnvironment: .metaEnvironment
    case .metaTracker: .metaTracker
    }
  }
}
