public import MetaWearProtocol

/// A simulated board's model: its modules and its device information.
public struct BoardModel: Hashable, Sendable, CustomStringConvertible {
  /// The vendor's product name.
  public let name: String
  /// The model number in the device information service.
  public let modelNumber: String
  /// A short name for use on the command line.
  public let shortName: String
  /// The modules, as the firmware describes them.
  public let modules: ModuleTable
  public let firmwareRevision: String
  public let hardwareRevision: String
  /// A pin's voltage at high level, in millivolts.
  public let supplyMillivolts: Int

  public var manufacturer: String { "MbientLab Inc" }
  public var advertisedName: String { GATT.defaultName }

  init(
    _ name: String, _ shortName: String, modelNumber: String, firmware: String = "1.7.2",
    hardware: String = "0.1", supplyMillivolts: Int = 3_000, modules: ModuleTable
  ) {
    self.name = name
    self.shortName = shortName
    self.modelNumber = modelNumber
    firmwareRevision = firmware
    hardwareRevision = hardware
    self.supplyMillivolts = supplyMillivolts
    self.modules = modules
  }

  public var description: String { name }

  /// All models, starting with the two that are still sold.
  public static let all = [
    metaMotionS, metaMotionRL, metaMotionC, metaWearC, metaWearR, metaEnvironment,
  ]

  /// Finds a model by its name or short name, ignoring case.
  public init?(named name: String) {
    let wanted = name.lowercased()
    guard
      let model = Self.all.first(where: {
        $0.name.lowercased() == wanted || $0.shortName.lowercased() == wanted
      })
    else { return nil }
    self = model
  }
}
