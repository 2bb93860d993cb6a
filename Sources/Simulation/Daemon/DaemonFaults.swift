/// The daemon's active faults. A fault that affects a single board is stored with that board's
/// devices.
struct DaemonFaults {
  private var unanswered: [DaemonFault.Member: Int] = [:]
  private var denied: Set<String> = []
  var connectAborts = 0
  var objectDelay = 0.0
  var stopNotifyDelay = 0.0
  var disconnectDelay = 0.0
  var earlySeconds = 0.0
  /// No advertisements arrive before this time.
  var silentUntil = -Double.infinity
  /// If the next `RemoveDevice` is to crash the daemon, the number of seconds until the daemon
  /// restarts; otherwise `nil`.
  var crashSeconds: Double?

  mutating func add(_ count: Int, unansweredCallsOf member: DaemonFault.Member) {
    unanswered[member, default: 0] += count
  }

  /// Counts a call. Returns whether the daemon must leave the call unanswered.
  mutating func swallows(_ member: DaemonFault.Member) -> Bool {
    guard let count = unanswered[member], count > 0 else { return false }
    unanswered[member] = count - 1
    return true
  }

  mutating func deny(_ member: String) {
    denied.insert(member)
  }

  func denies(_ member: String) -> Bool {
    denied.contains(member)
  }

  mutating func takeConnectAbort() -> Bool {
    guard connectAborts > 0 else { return false }
    connectAborts -= 1
    return true
  }
}
