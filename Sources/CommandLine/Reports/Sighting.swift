internal import Recording
public import Values

/// A device that a scan has heard, with the known facts about it.
public struct Sighting: Hashable, Sendable {
  /// The kind of device that it is taken for.
  public enum Kind: Hashable, Sendable {
    /// A MetaWear board: it advertises so, or is known.
    case board
    /// A MetaWear board that runs its bootloader and has no modules.
    case bootloader
    /// Something else.
    case other
  }

  public var address: BoardAddress
  public var kind: Kind
  /// The user's name for it, or else its advertised name.
  public var name: String?
  /// Whether the store knows it.
  public var isKnown: Bool
  /// Its model, if it was ever asked.
  public var model: String?
  /// Signal strength of the last advertisement, dBm.
  public var rssi: Int?
  /// Charge of the battery in percent, where the Bluetooth service knows it.
  public var battery: Int?
  /// The instant at which it was last heard; `nil` if it is connected and does not advertise.
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
