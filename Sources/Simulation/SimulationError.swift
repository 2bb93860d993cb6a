public import Values

/// The reason why a simulated world could not be set up.
public struct SimulationError: Remediable, Hashable {
  /// The operation that failed, and the object on which it failed.
  public var message: String
  public var remedy: String

  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }
}
