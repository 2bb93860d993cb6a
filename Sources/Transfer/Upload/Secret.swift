/// A text that must stay hidden: it is not printed, not listed among a debugger's members, and not
/// shown in an error that contains it.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The text, for the one place that needs it.
  public let revealed: String

  public init(_ text: String) {
    revealed = text
  }

  /// `(secret)` instead of the text.
  public var description: String { "(secret)" }
  /// `(secret)` instead of the text.
  public var debugDescription: String { description }
  /// A mirror without members.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
