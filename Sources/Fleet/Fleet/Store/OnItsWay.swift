internal import LinuxSystem

/// A requested value for which a thread may wait.
struct OnItsWay<Value: Sendable> {
  private let answer = Monitor<Value?>(nil)

  init(_ ask: @escaping @Sendable () async -> Value) {
    Task { [answer] in
      let value = await ask()
      answer.change { $0 = value }
    }
  }

  /// Blocks this thread until the value arrives.
  func waited() -> Value {
    guard let value = answer.wait(for: { $0 }) else {
      preconditionFailure("it waits until there is a value")
    }
    return value
  }
}
