/// A text that must stay hidden. It is never shown: not when printed, not in a debugger's list of
/// members, not in an error that contains it.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The text itself, for the one place that needs it.
  public let revealed: String

  /// A secret with this text.
  public init(_ text: String) {
    revealed = text
  }

  /// `(secret)`, in place of the text.
  public var description: String { "(secret)" }
  /// `(secret)`, in place of the text.
  public var debugDescription: String { description }
  /// A mirror without members.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
