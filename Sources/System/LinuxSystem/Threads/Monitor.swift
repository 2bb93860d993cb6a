internal import Glibc

// Safety: `value` is only accessed while `mutex` is locked, so only one thread at a time uses it.
// The mutex and the condition are on the heap, at addresses that do not change.
/// A value behind a lock. Threads can wait for the value to change.
///
/// Like `Guarded`, this uses the C library's mutex and condition variable, which ThreadSanitizer
/// can follow.
@safe
public final class Monitor<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var value: Value

  public init(_ value: sending Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition = .allocate(capacity: 1)
    unsafe condition.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    // The monotonic clock is used because the system clock may be set during the wait.
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    let outcomes = unsafe (
      pthread_mutex_init(mutex, nil), pthread_cond_init(condition, &attributes)
    )
    unsafe pthread_condattr_destroy(&attributes)
    precondition(outcomes == (0, 0), "the system is out of mutexes")
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe condition.deallocate()
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Calls `body` with the value while no other thread accesses it. Calls must not be nested.
  public func withLock<Result>(
    _ body: (inout sending Value) -> sending Result
  ) -> sending Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&value)
  }

  /// Calls `body` with the value like `withLock`, then wakes every waiting thread to check the
  /// value again.
  public func change<Result>(
    _ body: (inout sending Value) -> sending Result
  ) -> sending Result {
    unsafe pthread_mutex_lock(mutex)
    defer {
      unsafe pthread_cond_broadcast(condition)
      unsafe pthread_mutex_unlock(mutex)
    }
    return body(&value)
  }

  /// Waits until `body` returns a value, for at most `seconds`. If `seconds` is `nil`, there is no
  /// time limit. Calls `body` at once and after each change.
  public func wait<Result>(
    seconds: Double? = nil, for body: (inout sending Value) -> sending Result?
  ) -> sending Result? {
    var limit = timespec.monotonic(in: seconds ?? 0)
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      if seconds == nil {
        unsafe pthread_cond_wait(condition, mutex)
      } else if unsafe pthread_cond_timedwait(condition, mutex, &limit) == ETIMEDOUT {
        return body(&value)
      }
    }
  }
}

extension timespec {
  /// Returns the time `seconds` from now on the monotonic clock, which cannot be set.
  fileprivate static func monotonic(in seconds: Double) -> timespec {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    let nanoseconds = Int(min(max(seconds, 0), 1e6) * 1e9) + time.tv_nsec
    time.tv_sec += nanoseconds / 1_000_000_000
    time.tv_nsec = nanoseconds % 1_000_000_000
    return time
  }
}
