internal import LinuxSystem

/// A value that is fetched asynchronously. A thread can block until it arrives.
struct OnItsWay<Value: Sendable> {
  private let answer = Monitor<Value?>(nil)

  init(_ ask: @escaping @Sendable () async -> Value) {
    Task { [answer] in
      let value = await ask()
      answer.change { $0 = value }
    }
  }

  /// Blocks this thread until the value arrives, then returns it.
  func waited() -> Value {
    guard let value = answer.wait(for: { $0 }) else {
      preconditionFailure("the wait ended without a value")
    }
    return value
  }
}
