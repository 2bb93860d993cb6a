public import Values

/// The reason a simulated world could not be set up.
public struct SimulationError: Remediable, Hashable {
  /// The failed operation and its object.
  public var message: String
  public var remedy: String

  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }
}
