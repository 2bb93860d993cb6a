public import Values

/// The reason a board could not start streaming, worded for the user.
public struct BoardFailure: Remediable, Hashable {
  /// The operation that failed, and the object it was performed on.
  public var message: String
  public var remedy: String

  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }

  /// Returns the failure for a board that can no longer send a signal as it did before. Either its
  /// firmware has changed, or its chip was misidentified earlier.
  static func changed(_ signal: String) -> BoardFailure {
    BoardFailure(
      "the board reconnected with modules that cannot send \(signal) as before",
      remedy: "start another recording")
  }

  static let silent = BoardFailure(
    "the board does not respond",
    remedy: "press its button or briefly remove its battery, then try again")

  static let linkLost = BoardFailure(
    "the link to the board was lost",
    remedy: "move the board closer and check its battery")
}
