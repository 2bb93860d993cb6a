internal import Synchronization

/// A request to end that one thread raises and another looks at between two rounds.
public final class StopFlag: Sendable {
  private let raised = Atomic(false)

  /// A flag that is down.
  public init() {}

  /// Whether it was raised.
  public var isRaised: Bool {
    // Safety: acquire pairs with the release in `raise`, so earlier writes are seen.
    raised.load(ordering: .acquiring)
  }

  /// Raises it for good.
  public func raise() {
    // Safety: release, so the thread that sees the flag sees everything written before it.
    raised.store(true, ordering: .releasing)
  }
}
