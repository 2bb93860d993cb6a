public import Values

extension Remediable {
  /// The words that a person reads: the message, and the remedy indented below it.
  public var words: String { "\(message)\n       \(remedy)" }
}
