internal import LinuxSystem

/// Stores the recorder's latest status for the live view.
final class StatusBoard: Sendable {
  private let held = Guarded(LiveStatus())
  private let followers = Guarded<[@Sendable () -> Void]>([])

  var current: LiveStatus {
    held.withLock { $0 }
  }

  /// Whether someone is waiting for each new status.
  var isFollowed: Bool {
    followers.withLock { !$0.isEmpty }
  }

  func show(_ status: LiveStatus) {
    held.withLock { $0 = status }
    for tell in followers.withLock({ $0 }) { tell() }
  }

  /// Calls `tell` from the recorder's thread for each new status.
  func follow(_ tell: @escaping @Sendable () -> Void) {
    followers.withLock { $0.append(tell) }
  }
}
