internal import Recording
public import Values

/// A device as a scan has heard it, with what is known of it.
public struct Sighting: Hashable, Sendable {
  /// What kind of device it is taken for.
  public enum Kind: Hashable, Sendable {
    /// A MetaWear board: it advertises so, or is known.
    case board
    /// A MetaWear board that runs its bootloader and has no modules.
    case bootloader
    /// Something else.
    case other
  }

  /// Its address.
  public var address: BoardAddress
  /// What kind of device it is taken for.
  public var kind: Kind
  /// What the user calls it, or else what it advertises.
  public var name: String?
  /// Whether it is known to the store.
  public var isKnown: Bool
  /// Model, as far as it was ever asked.
  public var model: String?
  /// Signal strength of the last advertisement, dBm.
  public var rssi: Int?
  /// Charge of the battery in percent, where the Bluetooth service knows it.
  public var battery: Int?
  /// When it was last heard; `nil` for one that is connected and does not advertise.
  public var heard: BootTime?
  /// Whether this computer has a link to it.
  public var isConnected: Bool

  /// A sighting with the given parts.
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
