/// An error that explains to a person what failed and how to remedy it.
///
/// `description` contains only the message, so that it fits into a sentence and on one line of a
/// log. A terminal or a page shows the remedy below it.
public protocol Remediable: Error, CustomStringConvertible {
  /// The operation that failed, its object and the reason. Begins with a lower-case letter and has
  /// no full stop.
  var message: String { get }
  /// The remedy, one line per suggestion; empty if no remedy is known.
  var remedy: String { get }
}

extension Remediable {
  public var description: String { message }
}
