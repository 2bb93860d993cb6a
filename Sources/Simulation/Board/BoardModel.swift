public import MetaWearProtocol

/// What a simulated board is: the modules it answers for and what its device information says.
public struct BoardModel: Hashable, Sendable, CustomStringConvertible {
  /// The vendor's name of the product.
  public let name: String
  /// Model number of the device information service.
  public let modelNumber: String
  /// A word for it on a command line.
  public let shortName: String
  /// The modules, as its firmware describes them.
  public let modules: ModuleTable
  /// Firmware revision.
  public let firmwareRevision: String
  /// Hardware revision.
  public let hardwareRevision: String
  /// Voltage of a pin that is high.
  public let supplyMillivolts: Int

  /// Manufacturer.
  public var manufacturer: String { "MbientLab Inc" }
  /// Name in the advertising data.
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

  /// Its name.
  public var description: String { name }

  /// Every model there is, newest first.
  public static let all = [
    metaMotionS, metaMotionRL, metaMotionC, metaWearC, metaWearR, metaEnvironment,
  ]

  /// A model by its name or its short name, in either case.
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
