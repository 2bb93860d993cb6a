public import Values

/// Why a simulated world could not be set up.
public struct SimulationError: Remediable, Hashable {
  /// The operation that failed, and its object.
  public var message: String
  /// The remedy.
  public var remedy: String

  /// A failure with these words.
  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }
}
