/// A reply that a thread sends to an asynchronous caller exactly once.
///
/// The value is stored behind a lock, and the continuation only wakes the caller. Race detectors
/// cannot follow the concurrency runtime and would report a value passed through it as a race.
public final class Reply<Value: Sendable>: Sendable {
  private let value = Guarded<Value?>(nil)
  private let caller: CheckedContinuation<Void, Never>

  private init(_ caller: CheckedContinuation<Void, Never>) {
    self.caller = caller
  }

  public func give(_ value: Value) {
    self.value.withLock { $0 = value }
    caller.resume()
  }

  /// Calls `ask`, which must pass the reply object on to a thread, and waits for the reply.
  public static func wait(for ask: (Reply<Value>) -> Void) async -> Value {
    var asked: Reply<Value>?
    await withCheckedContinuation { continuation in
      let reply = Reply(continuation)
      asked = reply
      ask(reply)
    }
    guard let value = asked?.value.withLock({ $0 }) else {
      preconditionFailure("the caller was woken before the reply")
    }
    return value
  }
}
