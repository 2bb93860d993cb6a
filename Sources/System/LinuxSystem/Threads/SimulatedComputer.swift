internal import Glibc
internal import Synchronization
package import Values

/// The clocks, threads and pauses of a computer that exists only in a simulation.
///
/// The program takes the time from `BootClock`, its threads from `NamedThread` and its pauses from
/// `Pause`. Each of them asks this computer on the thread that simulates it. Everything that
/// decides stays as it is.
package protocol SimulatedComputer: AnyObject, Sendable {
  /// The time since the start of the computer.
  var bootTime: BootTime { get }
  /// The time that its system clock shows, right or wrong.
  var systemTime: UTCTime { get }
  /// Whether its kernel calls the system clock synchronised.
  var isSystemTimeSynchronised: Bool { get }
  /// The id of its boot.
  var bootID: UniqueID { get }

  /// Starts a thread.
  func start(_ thread: SimulatedThread)
  /// Runs threads until this one is over.
  func join(_ thread: SimulatedThread)
  /// Resumes the caller after some seconds.
  func wake(_ sleeper: Pause.Sleeper, after seconds: Double)
  /// Takes note of an operation on the disk that is about to be carried out. The result is the
  /// number of the error with which it fails; `nil` to carry it out.
  func admit(_ operation: FileOperation, in folder: String) -> Int32?

  // Which threads have to look for events: asking the kernel for all of them at each step would
  // take longer than everything else.

  /// The running thread waits for this descriptor.
  func waits(for descriptor: Int32)
  /// The running thread waits for descriptors other than bells.
  func waitsForOthers()
  /// A bell was rung.
  func rang(_ bell: Int32)
  /// Something was written to a descriptor other than a bell.
  func wrote()
  /// A descriptor was closed.
  func closed(_ descriptor: Int32)
}

/// Which computer the calling thread runs on.
package enum Computer {
  /// The thread of the kernel that simulates a computer; 0 if none does.
  private static let simulator = Atomic<UInt>(0)
  // Safety: only the thread named by `simulator` uses it.
  private static nonisolated(unsafe) var stored: (any SimulatedComputer)?

  /// The computer that this thread simulates; `nil` on the real one.
  @inline(__always)
  package static var simulated: (any SimulatedComputer)? {
    // Safety: a thread finds its own number only if it has stored it itself.
    let thread = simulator.load(ordering: .relaxed)
    guard thread != 0, thread == pthread_self() else { return nil }
    return unsafe stored
  }

  /// Asks a simulated computer about an operation on the file at a path; see `admit`.
  @inline(__always)
  static func admit(
    _ path: String, _ operation: (String) -> FileOperation
  ) -> Int32? {
    guard let simulated else { return nil }
    return simulated.admit(
      operation(Folder.name(of: path)), in: String(Folder.containing(path).dropLast()))
  }

  /// Runs everything that this thread does on a simulated computer from now on, or on the real one
  /// again. The other threads stay on the real one.
  package static func simulate(_ computer: (any SimulatedComputer)?) {
    let other = simulator.load(ordering: .relaxed)
    precondition(other == 0 || other == pthread_self(), "another thread simulates a computer")
    unsafe stored = computer
    simulator.store(computer == nil ? 0 : pthread_self(), ordering: .relaxed)
  }
}
