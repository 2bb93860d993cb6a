/// What the simulated daemon does later, in order of time.
struct DaemonTimers {
  /// Something to do for the device at an index, if its link is still what it was.
  enum Action {
    /// The link of a device comes up; the call is answered when its services are resolved.
    case linkUp(device: Int, generation: Int, DaemonCall)
    /// Its services are resolved.
    case resolve(device: Int, generation: Int, DaemonCall)
    /// The grace time of a disconnect is over.
    case disconnect(device: Int, generation: Int, DaemonCall)
  }

  private var pending: [(time: Double, action: Action)] = []

  mutating func add(_ action: Action, at time: Double) {
    pending.append((time, action))
    pending.sort { $0.time < $1.time }
  }

  /// The earliest time at which something is to be done.
  var next: Double? { pending.first?.time }

  /// The next action that is due.
  mutating func takeDue(_ now: Double) -> Action? {
    guard let first = pending.first, first.time <= now else { return nil }
    return pending.removeFirst().action
  }
}
