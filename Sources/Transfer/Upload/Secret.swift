/// A text that must stay hidden. It shows itself nowhere: not when it is printed, not in a
/// debugger's list of members, not in an error that holds it.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The text itself, for the one place that needs it.
  public let revealed: String

  /// A secret with this text.
  public init(_ text: String) {
    revealed = text
  }

  /// That there is one.
  public var description: String { "(secret)" }
  /// The same.
  public var debugDescription: String { description }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
