internal import LinuxSystem
internal import Synchronization
internal import Values

/// Two threads, each on a processor of its own, that do something to each other.
enum ThreadPair {
  /// Runs both bodies at once: nanoseconds from when both threads are there until both are done.
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

/// Where two threads wait for each other, awake.
private final class MeetingPoint: Sendable {
  private let arrived = Atomic<Int>(0)

  func meet() {
    // Safety: what one thread did before it came is seen by the other when it goes.
    arrived.wrappingAdd(1, ordering: .acquiringAndReleasing)
    while arrived.load(ordering: .acquiring) < 2 {}
  }
}
