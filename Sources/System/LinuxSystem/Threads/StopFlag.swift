internal import Synchronization

/// A request to end that one thread raises and another checks between two rounds.
public final class StopFlag: Sendable {
  private let raised = Atomic(false)

  /// A flag that is not raised.
  public init() {}

  /// Whether the flag was raised.
  public var isRaised: Bool {
    // Safety: acquire pairs with the release in `raise`, so earlier writes are seen.
    raised.load(ordering: .acquiring)
  }

  /// Raises the flag permanently.
  public func raise() {
    // Safety: release, so the thread that sees the flag sees all writes before it.
    raised.store(true, ordering: .releasing)
  }
}
