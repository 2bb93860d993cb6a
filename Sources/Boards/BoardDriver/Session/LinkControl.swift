internal import MetaWearProtocol
public import Values

/// A way to change a link from this computer's side; the board's own request comes before all of
/// these.
public enum LinkMethod: Hashable, Sendable, CaseIterable {
  /// Makes the controller change the live link, which needs CAP_NET_RAW.
  case update
  /// Gives the kernel the parameters to use, which needs CAP_NET_ADMIN; takes effect at the next
  /// connect at the latest.
  case load
}

/// Changes and measures a board's link on this computer. `Gateway` has the working implementation.
public protocol LinkControl: Sendable {
  /// The methods that this process may use.
  var available: Set<LinkMethod> { get }

  /// Changes the link by a method; throws the system's refusal.
  func changeLink(_ method: LinkMethod, _ parameters: ConnectionParameters) async throws

  /// The last complete measurement of the link.
  func measurement() async -> LinkMeasurement?
}

/// Link control without methods or measurements.
public struct NoLinkControl: LinkControl {
  public init() {}

  public var available: Set<LinkMethod> { [] }

  /// Never called, as no method is available.
  public func changeLink(_ method: LinkMethod, _ parameters: ConnectionParameters) {}

  public func measurement() -> LinkMeasurement? { nil }
}
