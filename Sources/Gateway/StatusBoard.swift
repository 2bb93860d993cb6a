internal import Synchronization

/// Where the recorder leaves the newest status for whoever shows it.
final class StatusBoard: Sendable {
  private let held = Mutex(LiveStatus())

  var current: LiveStatus {
    held.withLock { $0 }
  }

  func show(_ status: LiveStatus) {
    held.withLock { $0 = status }
  }
}
