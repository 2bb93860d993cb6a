internal import LinuxSystem

/// Where the recorder leaves the newest status for the live view.
final class StatusBoard: Sendable {
  private let held = Guarded(LiveStatus())

  var current: LiveStatus {
    held.withLock { $0 }
  }

  func show(_ status: LiveStatus) {
    held.withLock { $0 = status }
  }
}
