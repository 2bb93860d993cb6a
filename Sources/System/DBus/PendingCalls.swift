/// The calls that are waiting for replies, by serial number, each with a deadline.
///
/// This type does not read a clock: its owner passes in the current time.
struct PendingCalls<Waiter> {
  private struct Pending {
    var waiter: Waiter
    var deadline: Double
    var operation: String
  }

  private var calls: [UInt32: Pending] = [:]

  /// Registers a call that has been sent.
  mutating func add(_ waiter: Waiter, serial: UInt32, operation: String, deadline: Double) {
    calls[serial] = Pending(waiter: waiter, deadline: deadline, operation: operation)
  }

  /// Removes and returns the caller that is waiting for a reply. Returns `nil` for an unknown
  /// serial number, for example after the caller timed out.
  mutating func take(serial: UInt32) -> (waiter: Waiter, operation: String)? {
    calls.removeValue(forKey: serial).map { ($0.waiter, $0.operation) }
  }

  mutating func takeExpired(now: Double) -> [(waiter: Waiter, operation: String)] {
    // Return early, because this method runs for every signal, usually while no call is pending.
    guard !calls.isEmpty else { return [] }
    let expired = calls.filter { $0.value.deadline <= now }
    for serial in expired.keys { calls[serial] = nil }
    return expired.values.map { ($0.waiter, $0.operation) }
  }

  /// Used after the connection has ended.
  mutating func takeAll() -> [(waiter: Waiter, operation: String)] {
    defer { calls.removeAll() }
    return calls.values.map { ($0.waiter, $0.operation) }
  }

  /// The earliest deadline; `nil` if no call is pending.
  var nextDeadline: Double? {
    // This is a closure, because a key path would be created again on every access.
    calls.values.min { $0.deadline < $1.deadline }?.deadline
  }
}
