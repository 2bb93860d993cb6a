/// A board's product name. A connected board's chips are determined by its module table instead.
public enum Model: Hashable, Sendable, CustomStringConvertible {
  case metaWearR
  case metaWearRG
  case metaWearRPro
  case metaWearC
  case metaWearCPro
  case metaDetector
  case metaEnvironment
  case metaHealth
  case metaTracker
  case metaMotionR
  case metaMotionRL
  case metaMotionC
  case metaMotionS
  /// A model number that has no case of its own. A board with such a number still works, because
  /// its module table identifies its chips.
  case unknown(String)

  /// Determines the model from the model number in the device information service. If several
  /// models have the same number, the modules determine the model.
  public init(number: String, modules: ModuleTable) {
    let isBMA255 = modules.accelerometer?.chip == .bma255
    switch number {
    case "0": self = .metaWearR
    case "1":
      self =
        modules.has(.barometer) && modules.has(.ambientLight) ? .metaWearRPro : .metaWearRG
    case "2" where modules.has(.magnetometer): self = .metaWearCPro
    case "2" where isBMA255 && modules.has(.proximity): self = .metaDetector
    case "2" where isBMA255 && modules.has(.humidity): self = .metaEnvironment
    case "2": self = .metaWearC
    case "3": self = .metaHealth
    case "4": self = .metaTracker
    case "5": self = modules.has(.ambientLight) ? .metaMotionR : .metaMotionRL
    case "6": self = .metaMotionC
    case "8": self = .metaMotionS
    default: self = .unknown(number)
    }
  }

  /// The vendor's product name, such as `MetaMotion S`.
  public var description: String {
    switch self {
    case .metaWearR: "MetaWear R"
    case .metaWearRG: "MetaWear RG"
    case .metaWearRPro: "MetaWear RPro"
    case .metaWearC: "MetaWear C"
    case .metaWearCPro: "MetaWear CPro"
    case .metaDetector: "MetaDetector"
    case .metaEnvironment: "MetaEnvironment"
    case .metaHealth: "MetaHealth"
    case .metaTracker: "MetaTracker"
    case .metaMotionR: "MetaMotion R"
    case .metaMotionRL: "MetaMotion RL"
    case .metaMotionC: "MetaMotion C"
    case .metaMotionS: "MetaMotion S"
    case .unknown(let number): "unknown model \(number)"
    }
  }
}
