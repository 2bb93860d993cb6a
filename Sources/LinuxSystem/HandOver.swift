/// Carries a value that cannot be copied into a thread's closure, which takes it once.
public final class HandOver<Value: ~Copyable & Sendable>: Sendable {
  private let held: Guarded<Value?>

  /// Holds a value until it is taken.
  public init(_ value: consuming Value) {
    held = Guarded(value)
  }

  /// The value, the first time it is asked for.
  public func take() -> Value? {
    held.withLock { held in
      var taken: Value? = nil
      swap(&taken, &held)
      return taken
    }
  }
}
