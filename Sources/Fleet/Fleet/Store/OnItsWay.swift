internal import LinuxSystem

/// Something that was asked for, and for which a thread may wait.
struct OnItsWay<Value: Sendable> {
  private let answer = Monitor<Value?>(nil)

  init(_ ask: @escaping @Sendable () async -> Value) {
    Task { [answer] in
      let value = await ask()
      answer.change { $0 = value }
    }
  }

  /// The value, after waiting for it on this thread.
  func waited() -> Value {
    guard let value = answer.wait(for: { $0 }) else {
      preconditionFailure("it waits until there is a value")
    }
    return value
  }
}
