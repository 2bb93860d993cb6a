internal import Synchronization

/// A flag for an event that can happen only once.
struct Given: ~Copyable {
  private let flag = Atomic(false)

  /// Returns `true` on the first call and `false` on all later ones.
  func first() -> Bool {
    // Safety: a single atomic exchange decides which caller is first, and no other memory depends
    // on it.
    !flag.exchange(true, ordering: .acquiringAndReleasing)
  }
}
