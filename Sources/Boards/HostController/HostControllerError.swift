/// What the kernel or a controller said no to.
public struct HostControllerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is.
  public enum Kind: Hashable, Sendable {
    /// There are no Bluetooth sockets here.
    case absent
    /// A capability is missing.
    case notPermitted
    /// There is no such adapter, or it is off.
    case noAdapter
    /// The board is not linked to it.
    case noLink
    /// The parameters break a rule of the specification.
    case invalid
    /// The controller or the kernel would not.
    case refused
  }

  /// What kind of failure it is.
  public var kind: Kind
  /// What failed, on what, and why.
  public var message: String

  /// A failure with these parts.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
