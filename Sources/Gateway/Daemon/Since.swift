internal import Values

/// A value and the time of its last change.
struct Since<Value: Hashable & Sendable>: Sendable {
  private(set) var value: Value
  private(set) var start: BootTime

  init(_ value: Value, at now: BootTime) {
    self.value = value
    start = now
  }

  /// Records the current value. If the value has not changed, its time stays the same.
  mutating func note(_ present: Value, at now: BootTime) {
    guard present != value else { return }
    value = present
    start = now
  }

  func seconds(at now: BootTime) -> Double { max(0, now.seconds(since: start)) }
}
