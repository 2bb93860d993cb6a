public import Values

/// A board that the configuration names.
public struct ConfiguredBoard: Hashable, Sendable {
  /// The user's name for it; empty for the name that it advertises.
  public var name = ""
  public var address = BoardAddress(value: 0)
  /// The place on the body; `nil` if the configuration does not say.
  public var placement: String?

  /// An empty entry, to be filled in.
  public init() {}

  public init(name: String, address: BoardAddress, placement: String? = nil) {
    self.name = name
    self.address = address
    self.placement = placement
  }
}
