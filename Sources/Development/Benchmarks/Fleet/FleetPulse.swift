internal import LinuxSystem

/// Tracks the simulated gateways' current requests, so that faults can be injected at the right
/// time.
final class FleetPulse: Sendable {
  private struct State {
    var acknowledged = 0
    var last = 0.0
    var underWay = 0
    var receivers: Set<String> = []
  }

  private let state = Guarded(State())

  /// The number of acknowledged chunks.
  var acknowledged: Int { state.withLock { $0.acknowledged } }
  /// The time of the last acknowledgement, in seconds since the start of the run.
  var last: Double { state.withLock { $0.last } }
  /// The number of pending requests.
  var underWay: Int { state.withLock { $0.underWay } }

  func hasAcknowledged(_ receiver: String) -> Bool {
    state.withLock { $0.receivers.contains(receiver) }
  }

  func begins() { state.withLock { $0.underWay += 1 } }

  func ends() { state.withLock { $0.underWay -= 1 } }

  func acknowledge(at seconds: Double, by receiver: String?) {
    state.withLock { state in
      state.acknowledged += 1
      state.last = seconds
      if let receiver { state.receivers.insert(receiver) }
    }
  }
}
