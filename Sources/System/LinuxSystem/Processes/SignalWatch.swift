internal import CLinux
internal import Glibc

/// SIGINT, SIGTERM and SIGHUP as values: blocked everywhere, read from a descriptor by one thread.
///
/// SIGTSTP (Ctrl-Z) and SIGQUIT (Ctrl-\) have their default actions, after the terminal has been
/// restored to the mode that the shell had set.
public final class SignalWatch: Sendable {
  private let wake: WakeUp
  private let thread: NamedThread
  private let stopping: StopFlag

  /// Number of SIGINT, a watched signal.
  public static let interrupt: Int32 = SIGINT
  /// Number of SIGTERM, a watched signal.
  public static let terminate: Int32 = SIGTERM
  /// Number of SIGHUP, a watched signal unless it was ignored at the start.
  public static let hangUp: Int32 = SIGHUP

  /// Blocks the watched signals in the calling thread and in threads it starts later, and makes a
  /// broken pipe an error instead of a signal. `main` calls it before anything else.
  public static func prepareProcess() {
    // A shell script starts background jobs with SIGINT ignored, and an ignored signal never
    // arrives.
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
      // The next opened file would get the number of a closed standard descriptor, and then the
      // output meant for the user.
      _ = unsafe open("/dev/null", O_RDWR)
    }
    blockInThisThread()
    signal(SIGPIPE, SIG_IGN)
  }

  /// Ignores SIGQUIT (Ctrl-\) here, so that it reaches only the command that this process waits
  /// for.
  public static func ignoreQuit() {
    signal(SIGQUIT, SIG_IGN)
  }

  /// Calls `handle` with the number of each signal that arrives, on a separate thread, and whether
  /// a terminal sent the signal, which the whole process group then receives. Before the process
  /// stops, or ends by SIGQUIT, it calls `leave`.
  public init(
    leave: @escaping @Sendable () -> Void = {},
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
          // The first field of the record is the signal's number, the third one shows its sender.
          let sender = unsafe record.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: 8, as: Int32.self)
          }
          let number = Int32(record[0])
          if Self.defaults.contains(number) {
            leave()
            Self.obey(number)
          } else {
            handle(number, sender == Int32(clinux_from_kernel))
          }
        }
      }
    }
  }

  deinit {
    stopping.raise()
    wake.ring()
    thread.join()
  }

  /// The signals with their default actions.
  private static let defaults = [SIGTSTP, SIGQUIT]

  /// Stops the process until it is continued, or ends it, as the unblocked signal would. Meanwhile
  /// the terminal belongs to the shell.
  private static func obey(_ number: Int32) {
    Keyboard.giveBack()
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    // It is pending until it is no longer blocked, in this thread only.
    raise(number)
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    Keyboard.claim()
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
    // Under nohup the closing of a terminal does not matter.
    for number in [SIGHUP] + defaults where clinux_is_ignored(number) == 0 {
      unsafe sigaddset(&set, number)
    }
    return set
  }
}
