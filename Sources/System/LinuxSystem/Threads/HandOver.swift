/// Transfers ownership of a value to a thread's closure, which takes it once. Used for non-copyable
/// values and for values that only one thread may use.
public final class HandOver<Value: ~Copyable>: Sendable {
  private let held: Guarded<Value?>

  public init(_ value: consuming sending Value) {
    held = Guarded(value)
  }

  /// Returns the value on the first call, and `nil` on later calls.
  public func take() -> sending Value? {
    held.withLock { held in
      var taken: Value? = nil
      swap(&taken, &held)
      return taken
    }
  }
}
