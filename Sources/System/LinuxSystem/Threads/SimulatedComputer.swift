internal import Glibc
internal import Synchronization
package import Values

/// The clocks, threads and pauses of a computer that exists only in a simulation.
///
/// The program takes the time from `BootClock`, its threads from `NamedThread` and its pauses from
/// `Pause`. Each of them asks this computer on the thread that simulates it. All decisions stay in
/// the program.
package protocol SimulatedComputer: AnyObject, Sendable {
  /// The time since the start of the computer.
  var bootTime: BootTime { get }
  /// The time of its system clock, correct or not.
  var systemTime: UTCTime { get }
  /// Whether its kernel considers the system clock synchronised.
  var isSystemTimeSynchronised: Bool { get }
  var bootID: UniqueID { get }

  func start(_ thread: SimulatedThread)
  /// Runs threads until this one is over.
  func join(_ thread: SimulatedThread)
  /// Resumes the caller after some seconds.
  func wake(_ sleeper: Pause.Sleeper, after seconds: Double)
  /// Notes an operation on the disk that is about to be carried out. The result is the number of
  /// the error with which it fails; `nil` to carry it out.
  func admit(_ operation: FileOperation, in folder: String) -> Int32?

  // The threads that must look for events: asking the kernel for all of them at each step would
  // take longer than everything else.

  /// A descriptor was opened, perhaps under the number of an earlier one.
  func opened(_ descriptor: Int32)
  /// Bytes written to one of these two descriptors are read from the other.
  func connected(_ descriptor: Int32, _ other: Int32)
  /// The running thread waits for this descriptor.
  func waits(for descriptor: Int32)
  /// A thread that waits for a list of descriptors waits for this one too.
  func watches(_ descriptor: Int32, in list: Int32)
  /// Something was written to a descriptor, or a bell was rung.
  func wrote(to descriptor: Int32)
  /// A packet was sent on a descriptor. A real kernel stamps it with its arrival at this moment.
  func sent(on descriptor: Int32)
  /// The stamp of the next packet received from a descriptor; `nil` if none was sent.
  func takeStamp(of descriptor: Int32) -> UTCTime?
  /// A descriptor is about to be closed.
  func closes(_ descriptor: Int32)
}

/// The object behind a descriptor, the same under each of its numbers.
package enum DescriptorEnd: Hashable, Sendable {
  /// One end of a socket pair, or a pipe, by its inode.
  case channel(UInt64)
  /// A bell or a list of descriptors, which have no other number.
  case own(Int32)
  /// A file, for which no thread waits.
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

/// The computer on which the calling thread runs.
package enum Computer {
  /// Holds the computer that a thread simulates.
  private final class Simulation: Sendable {
    let computer: any SimulatedComputer

    init(_ computer: any SimulatedComputer) {
      self.computer = computer
    }
  }

  /// Number of threads that simulate a computer: usually none, which is a fast check.
  private static let simulators = Atomic(0)
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let outcome = unsafe pthread_key_create(&key, nil)
    precondition(outcome == 0, "the system is out of keys")
    return key
  }()

  /// The computer that this thread simulates; `nil` on the real one.
  @inline(__always)
  package static var simulated: (any SimulatedComputer)? {
    // Safety: a thread counts itself before it asks. Others find nothing under the key.
    guard simulators.load(ordering: .relaxed) > 0 else { return nil }
    guard let kept = unsafe pthread_getspecific(key) else { return nil }
    return unsafe Unmanaged<Simulation>.fromOpaque(kept).takeUnretainedValue().computer
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
  /// again. Other threads are unaffected.
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
