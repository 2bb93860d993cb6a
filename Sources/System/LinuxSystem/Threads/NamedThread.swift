internal import CLinux
internal import Glibc

/// A thread that its owner joins. Tools such as `top -H` and `gdb` show the thread's name.
///
/// In this example, a thread adds numbers to a sum behind a lock:
///
///     let sum = Guarded(0)
///     let thread = try NamedThread("adder") {
///       for number in 1...100 { sum.withLock { $0 += number } }
///     }
///     thread.join()
///     let total = sum.withLock { $0 }
public final class NamedThread: Sendable {
  private enum Handle {
    case kernel(pthread_t)
    case simulated(any SimulatedComputer, SimulatedThread)
  }

  /// The thread's handle; `nil` after the thread has been joined or detached.
  private let handle: Guarded<Handle?>
  /// Whether the body has returned.
  private let isOver = Monitor(false)

  /// Starts a thread that runs `body` once. The kernel truncates names to 15 bytes.
  ///
  /// The thread blocks the signals that `SignalWatch` reads.
  public init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    if let computer = Computer.simulated {
      handle = Guarded(Self.start(BodyThread(name, body), on: computer))
    } else {
      handle = Guarded(.kernel(try Self.start(name, body, isOver)))
    }
  }

  /// Starts a thread that calls `make` and runs the loop that `make` returns. If `make` returns
  /// `nil`, the thread ends at once.
  public init<Loop: ThreadLoop & ~Copyable>(
    _ name: String, driving make: @escaping @Sendable () -> Loop?
  ) throws(SystemError) {
    if let computer = Computer.simulated {
      handle = Guarded(Self.start(LoopThread(name, make()), on: computer))
    } else {
      let body: @Sendable () -> Void = {
        guard let loop = make() else { return }
        loop.run()
      }
      handle = Guarded(.kernel(try Self.start(name, body, isOver)))
    }
  }

  private static func start(
    _ thread: SimulatedThread, on computer: any SimulatedComputer
  ) -> Handle {
    computer.start(thread)
    return .simulated(computer, thread)
  }

  private static func start(
    _ name: String, _ body: @escaping @Sendable () -> Void, _ isOver: Monitor<Bool>
  ) throws(SystemError) -> pthread_t {
    let start = unsafe Unmanaged.passRetained(
      ThreadStart(name: name) {
        body()
        isOver.change { $0 = true }
      })
    var thread = pthread_t()
    // Safety: exactly one thread receives the retained start object, and that thread releases it.
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
    return thread
  }

  /// Waits until the body has returned. Further calls return at once.
  public func join() {
    switch release() {
    case .kernel(let thread): pthread_join(thread, nil)
    case .simulated(let computer, let thread): computer.join(thread)
    case nil: break
    }
  }

  /// Waits for at most `seconds` until the body has returned. If the body takes longer, the thread
  /// is detached.
  public func join(within seconds: Double) {
    switch release() {
    case .kernel(let thread):
      if isOver.wait(seconds: seconds, for: { $0 ? true : nil }) == true {
        pthread_join(thread, nil)
      } else {
        pthread_detach(thread)
      }
    // A simulated thread never blocks, so it needs no timeout.
    case .simulated(let computer, let thread): computer.join(thread)
    case nil: break
    }
  }

  /// Detaches the thread, so that its owner need not wait for it. Used when a slow disk or a name
  /// lookup could block the thread for a long time.
  public func letGo() {
    if case .kernel(let thread) = release() { pthread_detach(thread) }
  }

  private func release() -> Handle? {
    handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
  }
}

/// The name and body of a thread that is being started.
private final class ThreadStart: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}
