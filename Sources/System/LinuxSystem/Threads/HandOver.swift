/// Carries a value into a thread's closure, which takes it once: values that cannot be copied, and
/// values that only one thread may use.
public final class HandOver<Value: ~Copyable>: Sendable {
  private let held: Guarded<Value?>

  /// Holds a value, which the caller lets go of, until it is taken.
  public init(_ value: consuming sending Value) {
    held = Guarded(value)
  }

  /// The value, the first time it is asked for.
  public func take() -> sending Value? {
    held.withLock { held in
      var taken: Value? = nil
      swap(&taken, &held)
      return taken
    }
  }
}
