/// A refusal of the kernel or a controller.
public struct HostControllerError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// This process has no Bluetooth sockets.
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

  public var kind: Kind
  /// The failed operation, its object and the reason.
  public var message: String

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  public var description: String { message }
}
