internal import LinuxSystem
internal import Synchronization
internal import Values

/// Runs two threads concurrently, each on its own processor.
enum ThreadPair {
  /// Runs both bodies concurrently. Returns the nanoseconds from the time when both threads are
  /// ready until both have finished.
  static func run(
    on processors: (Int, Int), _ first: @escaping @Sendable () -> Void,
    _ second: @escaping @Sendable () -> Void
  ) throws(SystemError) -> Double {
    let present = MeetingPoint()
    let done = MeetingPoint()
    let partner = try NamedThread("bench-2") {
      Processors.pinThisThread(to: processors.1)
      present.meet()
      second()
      done.meet()
    }
    let time = Guarded(0.0)
    let measuring = try NamedThread("bench-1") {
      Processors.pinThisThread(to: processors.0)
      present.meet()
      let start = BootClock.now()
      first()
      done.meet()
      let end = BootClock.now()
      time.withLock { $0 = Double(end.nanoseconds - start.nanoseconds) }
    }
    measuring.join()
    partner.join()
    return time.withLock { $0 }
  }
}

/// A barrier where two threads wait for each other by spinning.
private final class MeetingPoint: Sendable {
  private let arrived = Atomic<Int>(0)

  func meet() {
    // Safety: after the barrier, each thread sees all writes that the other made before it.
    arrived.wrappingAdd(1, ordering: .acquiringAndReleasing)
    while arrived.load(ordering: .acquiring) < 2 {}
  }
}
