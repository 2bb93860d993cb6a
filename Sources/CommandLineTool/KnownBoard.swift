internal import MetaWearProtocol

/// A model whose modules are known, by the word typed for it.
public enum KnownBoard: String, CaseIterable, Hashable, Sendable {
  /// MetaMotion S.
  case metaMotionS = "S"
  /// MetaMotion RL.
  case metaMotionRL = "RL"
  /// MetaMotion R.
  case metaMotionR = "R"
  /// MetaMotion C.
  case metaMotionC = "C"
  /// MetaWear R.
  case metaWearR = "MetaWearR"
  /// MetaWear RG.
  case metaWearRG = "MetaWearRG"
  /// MetaWear RPro.
  case metaWearRPro = "MetaWearRPro"
  /// MetaWear C.
  case metaWearC = "MetaWearC"
  /// MetaWear CPro.
  case metaWearCPro = "MetaWearCPro"
  /// MetaDetector.
  case metaDetector = "MetaDetector"
  /// MetaEnvironment.
  case metaEnvironment = "MetaEnvironment"
  /// MetaTracker.
  case metaTracker = "MetaTracker"
}

extension KnownBoard {
  /// The model meant.
  var model: Model {
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
