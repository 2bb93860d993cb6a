/// A refusal of the kernel or a controller.
public struct HostControllerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Kind: Hashable, Sendable {
    /// There are no Bluetooth sockets here.
    case absent
    /// A capability is missing.
    case notPermitted
    /// There is no such adapter, or it is off.
    case noAdapter
    /// The board is not linked to the adapter.
    case noLink
    /// The parameters break a rule of the specification.
    case invalid
    /// The controller or the kernel refused.
    case refused
  }

  /// The kind of failure.
  public var kind: Kind
  /// The operation that failed, its object, and the reason.
  public var message: String

  /// A failure with these parts.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
