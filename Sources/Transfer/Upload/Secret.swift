/// A string that must be kept secret. It does not appear in printed output, in a debugger's list of
/// members, or in the description of an error that stores it.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The text itself, for code that must send or compare it.
  public let revealed: String

  public init(_ text: String) {
    revealed = text
  }

  public var description: String { "(secret)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
