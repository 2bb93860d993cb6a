public import Values

/// A board named in the configuration.
public struct ConfiguredBoard: Hashable, Sendable {
  /// The user's name for the board. If empty, the board's advertised name is used.
  public var name = ""
  public var address = BoardAddress(value: 0)
  /// The board's position on the body, or `nil` if the configuration does not specify one.
  public var placement: String?

  public init() {}

  public init(name: String, address: BoardAddress, placement: String? = nil) {
    self.name = name
    self.address = address
    self.placement = placement
  }
}
