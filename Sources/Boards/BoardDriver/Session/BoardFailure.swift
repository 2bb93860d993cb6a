public import Values

/// The reason a board could not be brought to streaming, in words for the user.
public struct BoardFailure: Remediable, Hashable {
  /// The failed operation and its object.
  public var message: String
  public var remedy: String

  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }

  /// The board runs other firmware, or a chip was misread before.
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
