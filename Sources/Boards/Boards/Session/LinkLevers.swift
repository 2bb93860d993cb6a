internal import MetaWearProtocol
public import Values

/// A way to change a link from this computer's side; the board's own request comes before all of
/// them.
public enum HostLever: Hashable, Sendable, CaseIterable {
  /// The controller is told to change the live link, which needs CAP_NET_RAW.
  case update
  /// The kernel is told what to use, which needs CAP_NET_ADMIN; at the next connect at the latest.
  case load
}

/// What can be done to a board's link and seen of it on this computer. `Gateway` has the one that
/// does.
public protocol LinkLevers: Sendable {
  /// The levers this process may use.
  var available: Set<HostLever> { get }

  /// Pulls one; throws what the system said when it was refused.
  func pull(_ lever: HostLever, _ parameters: ConnectionParameters) async throws

  /// What the last stretch of packets told of the link.
  func measurement() async -> LinkMeasurement?
}

/// No levers, and nothing measured.
public struct NoLevers: LinkLevers {
  /// None.
  public init() {}

  /// None.
  public var available: Set<HostLever> { [] }

  /// Is not called, as none is available.
  public func pull(_ lever: HostLever, _ parameters: ConnectionParameters) {}

  /// Nothing.
  public func measurement() -> LinkMeasurement? { nil }
}
