internal import LinuxSystem

/// The current activity of the lanes, for the code that injects faults.
final class FleetPulse: Sendable {
  private struct State {
    var acknowledged = 0
    var last = 0.0
    var underWay = 0
    var receivers: Set<String> = []
  }

  private let state = Guarded(State())

  /// Chunks acknowledged so far.
  var acknowledged: Int { state.withLock { $0.acknowledged } }
  /// Time of the last acknowledgement, in seconds since the beginning.
  var last: Double { state.withLock { $0.last } }
  /// Requests waiting for their answer.
  var underWay: Int { state.withLock { $0.underWay } }

  /// Whether the receiver with this name has acknowledged a chunk.
  func hasAcknowledged(_ receiver: String) -> Bool {
    state.withLock { $0.receivers.contains(receiver) }
  }

  func begins() { state.withLock { $0.underWay += 1 } }

  func ends() { state.withLock { $0.underWay -= 1 } }

  /// Notes an acknowledged chunk at this time.
  func acknowledge(at seconds: Double, by receiver: String?) {
    state.withLock { state in
      state.acknowledged += 1
      state.last = seconds
      if let receiver { state.receivers.insert(receiver) }
    }
  }
}
