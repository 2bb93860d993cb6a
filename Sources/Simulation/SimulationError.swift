/// Why a simulated world could not be set up.
public struct SimulationError: Error, Hashable, Sendable {
  /// What failed, on what.
  public var message: String
  /// What to do about it.
  public var remedy: String

  /// A failure with these words.
  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }
}
