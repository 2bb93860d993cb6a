/// A failure that the kernel or a controller reported, or that prevented a request from being sent.
public struct HostControllerError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// This process has no Bluetooth sockets.
    case absent
    /// A capability is missing.
    case notPermitted
    /// The adapter is missing or off.
    case noAdapter
    /// The adapter has no link to the board.
    case noLink
    /// The connection parameters violate the specification.
    case invalid
    /// The controller or the kernel refused the request.
    case refused
  }

  public var kind: Kind
  /// The operation that failed, the object it was performed on, and the reason.
  public var message: String

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  public var description: String { message }
}
