internal import Glibc
internal import Synchronization
package import Values

/// The clocks, threads and pauses of a computer that exists only in a simulation.
///
/// The program reads the time from `BootClock`, starts threads with `NamedThread` and pauses with
/// `Pause`. On the simulating thread, these types call this computer instead of the kernel. The
/// program's own code still makes all decisions.
package protocol SimulatedComputer: AnyObject, Sendable {
  var bootTime: BootTime { get }
  /// May be incorrect, like a real system clock.
  var systemTime: UTCTime { get }
  var isSystemTimeSynchronised: Bool { get }
  var bootID: UniqueID { get }

  func start(_ thread: SimulatedThread)
  /// Runs the simulated threads until `thread` has ended.
  func join(_ thread: SimulatedThread)
  func wake(_ sleeper: Pause.Sleeper, after seconds: Double)
  /// Records a disk operation that is about to run. Returns `nil` to let the operation run, or the
  /// error number with which it must fail.
  func admit(_ operation: FileOperation, in folder: String) -> Int32?

  // These calls identify the threads that may have events waiting. If the kernel were asked about
  // every thread at each step, this would take longer than the rest of the simulation.

  /// Called after a descriptor was opened. The descriptor's number may have been used before.
  func opened(_ descriptor: Int32)
  /// Called after two descriptors were connected. Bytes written to one can then be read from the
  /// other.
  func connected(_ descriptor: Int32, _ other: Int32)
  /// Called when the running thread starts to wait for a descriptor.
  func waits(for descriptor: Int32)
  /// Called when a thread adds a descriptor to a list that it polls.
  func watches(_ descriptor: Int32, in list: Int32)
  /// Called after bytes were written to a descriptor, or after a bell was rung.
  func wrote(to descriptor: Int32)
  /// Called when a packet is sent on a descriptor. A real kernel would record the current time as
  /// the packet's arrival time.
  func sent(on descriptor: Int32)
  /// Returns the arrival time of the next packet received from a descriptor, or `nil` if no packet
  /// was sent.
  func takeStamp(of descriptor: Int32) -> UTCTime?
  /// Called before a descriptor is closed.
  func closes(_ descriptor: Int32)
}

/// The object that a descriptor refers to. All descriptors of the same object have equal values.
package enum DescriptorEnd: Hashable, Sendable {
  /// One end of a socket pair or a pipe, identified by its inode number.
  case channel(UInt64)
  /// A bell or a watch list, which has no inode of its own and is identified by its descriptor
  /// alone.
  case own(Int32)
  /// A file or folder. No thread ever waits for it.
  case file

  package init(_ descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      self = .own(descriptor)
      return
    }
    self =
      switch status.st_mode & S_IFMT {
      case S_IFSOCK, S_IFIFO: .channel(UInt64(status.st_ino))
      case S_IFREG, S_IFDIR: .file
      default: .own(descriptor)
      }
  }
}

/// Provides access to the computer on which the calling thread runs: the real one or a simulated
/// one.
package enum Computer {
  /// A thread-specific reference to the simulated computer.
  private final class Simulation: Sendable {
    let computer: any SimulatedComputer

    init(_ computer: any SimulatedComputer) {
      self.computer = computer
    }
  }

  /// The number of threads that simulate a computer. It is usually 0, so `simulated` returns
  /// quickly.
  private static let simulators = Atomic(0)
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let outcome = unsafe pthread_key_create(&key, nil)
    precondition(outcome == 0, "the system is out of thread-specific keys")
    return key
  }()

  /// The computer that the calling thread simulates; `nil` if the thread runs on the real computer.
  @inline(__always)
  package static var simulated: (any SimulatedComputer)? {
    // Safety: a simulating thread increments the count before it sets its key, so it sees a count
    // above 0 here. All other threads have no value for the key.
    guard simulators.load(ordering: .relaxed) > 0 else { return nil }
    guard let kept = unsafe pthread_getspecific(key) else { return nil }
    return unsafe Unmanaged<Simulation>.fromOpaque(kept).takeUnretainedValue().computer
  }

  /// Reports an operation on the file at a path to the simulated computer (see
  /// `SimulatedComputer.admit`). Returns `nil` on a real computer.
  @inline(__always)
  static func admit(
    _ path: String, _ operation: (String) -> FileOperation
  ) -> Int32? {
    guard let simulated else { return nil }
    return simulated.admit(
      operation(Folder.name(of: path)), in: String(Folder.containing(path).dropLast()))
  }

  /// Makes the calling thread run on a simulated computer, or on the real one again if `nil`. Other
  /// threads are unaffected.
  package static func simulate(_ computer: (any SimulatedComputer)?) {
    if let former = unsafe pthread_getspecific(key) {
      pthread_setspecific(key, nil)
      unsafe Unmanaged<Simulation>.fromOpaque(former).release()
      simulators.subtract(1, ordering: .relaxed)
    }
    guard let computer else { return }
    simulators.add(1, ordering: .relaxed)
    unsafe pthread_setspecific(key, Unmanaged.passRetained(Simulation(computer)).toOpaque())
  }
}
