internal import CLinux
internal import Glibc

/// A thread with a name that tools show (`top -H`, `gdb`), joined by its owner.
///
/// A thread adds numbers to a sum that a lock guards:
///
///     let sum = Guarded(0)
///     let thread = try NamedThread("adder") {
///       for number in 1...100 { sum.withLock { $0 += number } }
///     }
///     thread.join()
///     let total = sum.withLock { $0 }
public final class NamedThread: Sendable {
  private let handle: Guarded<pthread_t?>
  /// Whether the body has returned.
  private let isOver = Monitor(false)

  /// Starts a thread that runs `body` once. The kernel cuts names at 15 bytes.
  ///
  /// The thread blocks the signals that `SignalWatch` reads.
  public init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = unsafe Unmanaged.passRetained(
      ThreadStart(name: name) { [isOver] in
        body()
        isOver.change { $0 = true }
      })
    var thread = pthread_t()
    // Safety: the retained start object is handed to exactly one thread, which releases it.
    let outcome = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let start = unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
        _ = unsafe clinux_name_this_thread(start.name)
        SignalWatch.blockInThisThread()
        start.body()
        return nil
      }, start.toOpaque())
    guard outcome == 0 else {
      unsafe start.release()
      throw SystemError("start the thread '\(name)'", number: outcome)
    }
    handle = Guarded(thread)
  }

  /// Waits until the body has returned. Further calls return at once.
  public func join() {
    let thread = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    if let thread { pthread_join(thread, nil) }
  }

  /// Waits at most this many seconds; a thread that is blocked for longer is detached.
  public func join(within seconds: Double) {
    let thread = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    guard let thread else { return }
    if isOver.wait(seconds: seconds, for: { $0 ? true : nil }) == true {
      pthread_join(thread, nil)
    } else {
      pthread_detach(thread)
    }
  }

  /// Detaches the thread. For a thread that a disk may block for long: its owner does not wait.
  public func letGo() {
    let thread = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    if let thread { pthread_detach(thread) }
  }
}

/// The name and body of a new thread.
private final class ThreadStart: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}
