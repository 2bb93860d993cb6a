public import Values

/// The reason a board's session could not be brought to streaming, in words for the user.
public struct BoardFailure: Remediable, Hashable {
  /// The operation that failed, and its object.
  public var message: String
  /// The remedy.
  public var remedy: String

  /// A failure with this message and remedy.
  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }

  /// The board has other firmware, or a chip was misread before.
  static func changed(_ signal: String) -> BoardFailure {
    BoardFailure(
      "the board came back with modules that cannot send \(signal) as before",
      remedy: "start another recording")
  }

  static let silent = BoardFailure(
    "the board does not answer",
    remedy: "press its button or take its battery out for a moment, then try again")

  static let linkLost = BoardFailure(
    "the link to the board was lost",
    remedy: "bring the board nearer and check its battery")
}
