internal import CLinux
internal import Glibc

/// SIGINT, SIGTERM and SIGHUP as values: blocked everywhere, read from a descriptor by one thread.
public final class SignalWatch: Sendable {
  private let wake: WakeUp
  private let thread: NamedThread
  private let stopping: StopFlag

  /// The signal numbers that are watched.
  public static let interrupt: Int32 = SIGINT
  /// See `interrupt`.
  public static let terminate: Int32 = SIGTERM

  /// Blocks the watched signals in the calling thread and in threads it starts later, and makes a
  /// broken pipe an error instead of a signal. `main` calls it before anything else.
  public static func prepareProcess() {
    // A shell script starts background jobs with SIGINT ignored, and what is ignored never arrives.
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
      // A closed standard descriptor would be given to the next file we open, which would then get
      // what is meant for the user.
      _ = unsafe open("/dev/null", O_RDWR)
    }
    blockInThisThread()
    signal(SIGPIPE, SIG_IGN)
  }

  /// Leaves SIGQUIT (Ctrl-\) to a command that we wait for, and do not want to end before it.
  public static func ignoreQuit() {
    signal(SIGQUIT, SIG_IGN)
  }

  /// Calls `handle` with the number of each signal that arrives, on a thread of its own, and
  /// whether a terminal sent it: our whole process group has got it then.
  public init(
    _ handle: @escaping @Sendable (_ number: Int32, _ isFromTerminal: Bool) -> Void
  ) throws(SystemError) {
    var set = Self.watched()
    let number = unsafe signalfd(-1, &set, Int32(clinux_signalfd_flags))
    guard number >= 0 else { throw SystemError("watch for signals") }
    let signals = DescriptorBox(OwnedDescriptor(owning: number))
    let wake = try WakeUp()
    let stopping = StopFlag()
    self.wake = wake
    self.stopping = stopping
    thread = try NamedThread("signals") {
      guard let signals = signals.take() else { return }
      var polls = PollSet()
      polls.add(signals.number)
      polls.add(wake.number)
      var record = [UInt8](repeating: 0, count: MemoryLayout<signalfd_siginfo>.size)
      while !stopping.isRaised {
        polls.wait(seconds: nil)
        while signals.read(into: &record) == record.count {
          // The first field of the record is the signal's number, the third says who sent it.
          let sender = unsafe record.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: 8, as: Int32.self)
          }
          handle(Int32(record[0]), sender == Int32(clinux_from_kernel))
        }
      }
    }
  }

  deinit {
    stopping.raise()
    wake.ring()
    thread.join()
  }

  static func blockInThisThread() {
    var set = watched()
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  private static func watched() -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGINT)
    unsafe sigaddset(&set, SIGTERM)
    // Under nohup a terminal that is closed does not matter.
    if clinux_is_ignored(SIGHUP) == 0 { unsafe sigaddset(&set, SIGHUP) }
    return set
  }
}
