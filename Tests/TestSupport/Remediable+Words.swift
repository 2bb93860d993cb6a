public import Values

extension Remediable {
  /// The text that is shown to the user: the message, and the remedy indented below it.
  public var words: String { "\(message)\n       \(remedy)" }
}
