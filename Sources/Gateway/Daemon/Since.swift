internal import Values

/// A value with the instant since which it is as it is.
struct Since<Value: Hashable & Sendable>: Sendable {
  private(set) var value: Value
  private(set) var start: BootTime

  /// A value that is known from now on.
  init(_ value: Value, at now: BootTime) {
    self.value = value
    start = now
  }

  /// Notes the present value; the instant stays if the value has not changed.
  mutating func note(_ present: Value, at now: BootTime) {
    guard present != value else { return }
    value = present
    start = now
  }

  /// Seconds for which the value has been the same.
  func seconds(at now: BootTime) -> Double { max(0, now.seconds(since: start)) }
}
