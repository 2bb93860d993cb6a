/// An error with text for a person: the failure and the remedy.
///
/// Its description is the message alone, so that it fits into a sentence and into one line of a
/// log. A terminal or a page shows the remedy below it.
public protocol Remediable: Error, CustomStringConvertible {
  /// The operation that failed, its object and the reason; no capital at the start and no full
  /// stop.
  var message: String { get }
  /// The remedy, one line per suggestion; empty if there is none.
  var remedy: String { get }
}

extension Remediable {
  public var description: String { message }
}
