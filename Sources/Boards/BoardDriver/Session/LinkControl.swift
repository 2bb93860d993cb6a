internal import MetaWearProtocol
public import Values

/// A host-side method of changing a link's connection parameters. If the board can request
/// parameters, its request is tried before these methods.
public enum LinkMethod: Hashable, Sendable, CaseIterable {
  /// Makes the controller change the live link. Requires CAP_NET_RAW.
  case update
  /// Loads the parameters into the kernel. Requires CAP_NET_ADMIN. The parameters take effect when
  /// the board next connects; newer kernels also apply them to the live link.
  case load
}

/// Changes a link's connection parameters from the host side, and provides measurements of the
/// link. `Gateway` contains the production implementation.
public protocol LinkControl: Sendable {
  /// The methods that this process may use.
  var available: Set<LinkMethod> { get }

  /// Throws if the system refuses.
  func changeLink(_ method: LinkMethod, _ parameters: ConnectionParameters) async throws

  /// Returns the last complete measurement of the link, or `nil` if none has been completed.
  func measurement() async -> LinkMeasurement?
}

/// A link control that offers neither methods nor measurements.
public struct NoLinkControl: LinkControl {
  public init() {}

  public var available: Set<LinkMethod> { [] }

  /// Never called, because no method is available.
  public func changeLink(_ method: LinkMethod, _ parameters: ConnectionParameters) {}

  public func measurement() -> LinkMeasurement? { nil }
}
