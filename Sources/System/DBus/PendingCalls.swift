/// Calls that wait for their answers, by serial, each with a deadline.
///
/// A value without a clock: the thread that owns it passes the time.
struct PendingCalls<Waiter> {
  private struct Pending {
    var waiter: Waiter
    var deadline: Double
    var operation: String
  }

  private var calls: [UInt32: Pending] = [:]

  /// Notes a call that was sent.
  mutating func add(_ waiter: Waiter, serial: UInt32, operation: String, deadline: Double) {
    calls[serial] = Pending(waiter: waiter, deadline: deadline, operation: operation)
  }

  /// The waiter for an answer, unless its deadline has passed.
  mutating func take(serial: UInt32) -> (waiter: Waiter, operation: String)? {
    calls.removeValue(forKey: serial).map { ($0.waiter, $0.operation) }
  }

  /// The waiters whose deadline has passed.
  mutating func takeExpired(now: Double) -> [(waiter: Waiter, operation: String)] {
    // The usual case; this runs for each signal.
    guard !calls.isEmpty else { return [] }
    let expired = calls.filter { $0.value.deadline <= now }
    for serial in expired.keys { calls[serial] = nil }
    return expired.values.map { ($0.waiter, $0.operation) }
  }

  /// All waiters, when the bus is gone.
  mutating func takeAll() -> [(waiter: Waiter, operation: String)] {
    defer { calls.removeAll() }
    return calls.values.map { ($0.waiter, $0.operation) }
  }

  /// The earliest deadline.
  var nextDeadline: Double? {
    // Not by a key path, which would be created each time.
    calls.values.min { $0.deadline < $1.deadline }?.deadline
  }
}
