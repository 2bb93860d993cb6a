internal import MetaWearProtocol
public import Values

/// A way to change a link from this computer's side; the board's own request comes before all of
/// them.
public enum LinkMethod: Hashable, Sendable, CaseIterable {
  /// The controller is told to change the live link, which needs CAP_NET_RAW.
  case update
  /// The kernel is told what to use, which needs CAP_NET_ADMIN; at the next connect at the latest.
  case load
}

/// What can be done to a board's link and seen of it on this computer. `Gateway` has the one that
/// does.
public protocol LinkControl: Sendable {
  /// The methods that this process may use.
  var available: Set<LinkMethod> { get }

  /// Changes the link by one; throws the system's refusal.
  func changeLink(_ method: LinkMethod, _ parameters: ConnectionParameters) async throws

  /// What the last stretch of packets told of the link.
  func measurement() async -> LinkMeasurement?
}

/// No method, and nothing measured.
public struct NoLinkControl: LinkControl {
  /// None.
  public init() {}

  /// None.
  public var available: Set<LinkMethod> { [] }

  /// Is not called, as none is available.
  public func changeLink(_ method: LinkMethod, _ parameters: ConnectionParameters) {}

  /// Nothing.
  public func measurement() -> LinkMeasurement? { nil }
}
