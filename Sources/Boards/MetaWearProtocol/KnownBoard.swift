/// A board model whose modules are known. The raw value is the word that a user types.
///
/// `footbridge simulate` accepts the raw values of the models that it supports.
public enum KnownBoard: String, CaseIterable, Hashable, Sendable {
  case metaMotionS = "S"
  case metaMotionRL = "RL"
  case metaMotionR = "MMR"
  case metaMotionC = "MMC"
  case metaWearR = "R"
  case metaWearRG = "RG"
  case metaWearRPro = "RPro"
  case metaWearC = "C"
  case metaWearCPro = "CPro"
  case metaDetector = "MetaDetector"
  case metaEnvironment = "ENV"
  case metaTracker = "MetaTracker"
}

extension KnownBoard {
  /// All raw values and the products that they represent, for use in help texts.
  public static let words =
    "S, RL, MMR, MMC (MetaMotion), R, RG, RPro, C, CPro (MetaWear), MetaDetector, "
    + "ENV (MetaEnvironment), MetaTracker"

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
