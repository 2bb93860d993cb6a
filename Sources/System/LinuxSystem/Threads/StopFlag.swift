internal import Synchronization

/// A request to stop. One thread raises the flag, and another thread checks it between rounds.
public final class StopFlag: Sendable {
  private let raised = Atomic(false)

  public init() {}

  public var isRaised: Bool {
    // Safety: this acquire pairs with the release in `raise`, so this thread sees all earlier
    // writes.
    raised.load(ordering: .acquiring)
  }

  /// Raises the flag permanently.
  public func raise() {
    // Safety: the release makes all earlier writes visible to a thread that sees the flag raised.
    raised.store(true, ordering: .releasing)
  }
}
