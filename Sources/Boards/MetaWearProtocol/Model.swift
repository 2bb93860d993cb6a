/// The product a board is sold as. For reports only: chips come from the module table.
public enum Model: Hashable, Sendable, CustomStringConvertible {
  /// MetaWear R.
  case metaWearR
  /// MetaWear RG.
  case metaWearRG
  /// MetaWear RPro.
  case metaWearRPro
  /// MetaWear C.
  case metaWearC
  /// MetaWear CPro.
  case metaWearCPro
  /// MetaDetector.
  case metaDetector
  /// MetaEnvironment.
  case metaEnvironment
  /// MetaHealth.
  case metaHealth
  /// MetaTracker.
  case metaTracker
  /// MetaMotion R.
  case metaMotionR
  /// MetaMotion RL.
  case metaMotionRL
  /// MetaMotion C.
  case metaMotionC
  /// MetaMotion S.
  case metaMotionS
  /// A model number without a name here; the board still works through its module table.
  case unknown(String)

  /// Determines the model by the model number of the device information service. If several models
  /// share a number, the modules decide.
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

  /// The vendor's name of the product, such as `MetaMotion S`.
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
