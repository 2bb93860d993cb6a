/// Carries a value into a thread's closure, which takes it once. For non-copyable values, and for
/// values that only one thread may use.
public final class HandOver<Value: ~Copyable>: Sendable {
  private let held: Guarded<Value?>

  /// Holds a value until it is taken; the caller gives it up.
  public init(_ value: consuming sending Value) {
    held = Guarded(value)
  }

  /// The value on the first call, then `nil`.
  public func take() -> sending Value? {
    held.withLock { held in
      var taken: Value? = nil
      swap(&taken, &held)
      return taken
    }
  }
}
