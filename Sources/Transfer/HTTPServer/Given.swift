internal import Synchronization

/// Something that happens once.
struct Given: ~Copyable {
  private let flag = Atomic(false)

  /// Whether it happens now for the first time.
  func first() -> Bool {
    // Safety: one exchange decides which caller is first; nothing else is read by it.
    !flag.exchange(true, ordering: .acquiringAndReleasing)
  }
}
