internal import Synchronization

/// A flag for an event that happens once.
struct Given: ~Copyable {
  private let flag = Atomic(false)

  /// Whether this call is the first.
  func first() -> Bool {
    // Safety: one exchange decides which caller is first; no other memory depends on it.
    !flag.exchange(true, ordering: .acquiringAndReleasing)
  }
}
