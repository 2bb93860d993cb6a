internal import Glibc

// Safety: `value` is only accessed while `mutex` is locked, so only one thread at a time uses it.
// The mutex is on the heap, at an address that does not change.
/// A value behind a lock. Only one thread at a time can access it.
///
/// Uses the C library's mutex instead of Swift's `Mutex`. Under contention, Swift's mutex waits in
/// the kernel, where ThreadSanitizer cannot follow it and reports false races. ThreadSanitizer does
/// follow the C library's mutex.
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
