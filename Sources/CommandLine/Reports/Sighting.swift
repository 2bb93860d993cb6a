internal import Recording
public import Values

/// A device that a scan has found, with all known facts about the device.
public struct Sighting: Hashable, Sendable {
  /// A device's kind, as recognised by a scan.
  public enum Kind: Hashable, Sendable {
    /// A MetaWear board. The scan recognises it by its advertisement or as a known board.
    case board
    /// A MetaWear board that is running its bootloader. Such a board offers no modules.
    case bootloader
    /// A device that is not a MetaWear board.
    case other
  }

  public var address: BoardAddress
  public var kind: Kind
  /// The user's name for the device, or else its advertised name.
  public var name: String?
  /// Whether the store lists the device.
  public var isKnown: Bool
  /// The model, if a command has ever read it from the device.
  public var model: String?
  /// The signal strength of the last advertisement in dBm.
  public var rssi: Int?
  /// The battery charge in percent, if the Bluetooth service reports it.
  public var battery: Int?
  /// The time of the last advertisement; `nil` if the device is connected and does not advertise.
  public var heard: BootTime?
  /// Whether this computer has a link to the device.
  public var isConnected: Bool

  public init(
    address: BoardAddress, kind: Kind, name: String? = nil, isKnown: Bool = false,
    model: String? = nil, rssi: Int? = nil, battery: Int? = nil, heard: BootTime? = nil,
    isConnected: Bool = false
  ) {
    self.address = address
    self.kind = kind
    self.name = name
    self.isKnown = isKnown
    self.model = model
    self.rssi = rssi
    self.battery = battery
    self.heard = heard
    self.isConnected = isConnected
  }
}
