internal import LinuxSystem

/// Where the recorder leaves the newest status for the live view.
final class StatusBoard: Sendable {
  private let held = Guarded(LiveStatus())
  private let followers = Guarded<[@Sendable () -> Void]>([])

  var current: LiveStatus {
    held.withLock { $0 }
  }

  /// Whether somebody waits for each status.
  var isFollowed: Bool {
    followers.withLock { !$0.isEmpty }
  }

  func show(_ status: LiveStatus) {
    held.withLock { $0 = status }
    for tell in followers.withLock({ $0 }) { tell() }
  }

  /// Calls `tell` for each status that is shown from now on, from the recorder.
  func follow(_ tell: @escaping @Sendable () -> Void) {
    followers.withLock { $0.append(tell) }
  }
}
