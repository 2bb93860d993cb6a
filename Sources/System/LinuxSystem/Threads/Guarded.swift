internal import Glibc

// Safety: `value` is only accessed between lock and unlock of `mutex`, which order all its users;
// the mutex is on the heap, at an address that does not change.
/// A value behind a lock: one thread at a time accesses it.
///
/// It uses the C library's mutex rather than Swift's own `Mutex`. Under contention Swift's mutex
/// waits in the kernel where ThreadSanitizer cannot follow, so it reports false races.
/// ThreadSanitizer understands this lock, so its reports are true.
@safe
public final class Guarded<Value: ~Copyable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  public init(_ value: consuming sending Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let outcome = unsafe pthread_mutex_init(mutex, nil)
    precondition(outcome == 0, "the system is out of mutexes")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Calls `body` with the value while no other thread accesses it. Calls must not be nested.
  public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
