public import Values

/// A board that the configuration names.
public struct ConfiguredBoard: Hashable, Sendable {
  /// The user's name for it; empty for the name that it advertises.
  public var name = ""
  /// Its address.
  public var address = BoardAddress(value: 0)
  /// Where it is worn; `nil` where the configuration does not say.
  public var placement: String?

  /// A board to be filled in.
  public init() {}

  /// A board by its name and address.
  public init(name: String, address: BoardAddress, placement: String? = nil) {
    self.name = name
    self.address = address
    self.placement = placement
  }
}
