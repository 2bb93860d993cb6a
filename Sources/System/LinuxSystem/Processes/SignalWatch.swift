internal import CLinux
internal import Glibc

/// Delivers SIGINT, SIGTERM and SIGHUP as values. All threads block these signals, and one thread
/// reads them from a descriptor.
///
/// SIGTSTP (Ctrl-Z) and SIGQUIT (Ctrl-\) have their default effects, but only after the terminal
/// has been restored to the mode that the shell had set.
public final class SignalWatch: Sendable {
  private let wake: WakeUp
  private let thread: NamedThread
  private let stopping: StopFlag

  /// SIGINT, which is always delivered.
  public static let interrupt: Int32 = SIGINT
  /// SIGTERM, which is always delivered.
  public static let terminate: Int32 = SIGTERM
  /// SIGHUP, which is delivered unless it was ignored at startup.
  public static let hangUp: Int32 = SIGHUP

  /// Blocks the watched signals in the calling thread and in all threads that it starts later. Also
  /// makes a write to a broken pipe return an error instead of raising a signal. `main` calls this
  /// before anything else.
  public static func prepareProcess() {
    // Shell scripts start background jobs with SIGINT ignored, and an ignored signal never arrives.
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
      // Without this, the next file opened would get the number of a closed standard descriptor and
      // receive output meant for the user.
      _ = unsafe open("/dev/null", O_RDWR)
    }
    blockInThisThread()
    signal(SIGPIPE, SIG_IGN)
  }

  /// Ignores SIGQUIT (Ctrl-\) in this process, so that only the command that this process waits for
  /// reacts to it.
  public static func ignoreQuit() {
    signal(SIGQUIT, SIG_IGN)
  }

  /// Calls `handle` on a separate thread for each signal. `handle` receives the signal's number and
  /// whether a terminal sent the signal. A terminal sends it to the whole process group. Calls
  /// `leave` before the process is stopped or before SIGQUIT ends it.
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
          // The record's first field is the signal's number, and its third field identifies the
          // sender.
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

  /// The signals that keep their default actions. The terminal is restored first.
  private static let defaults = [SIGTSTP, SIGQUIT]

  /// Performs the signal's default action, which either stops the process until it is continued or
  /// ends it. While the process is stopped, the shell controls the terminal.
  private static func obey(_ number: Int32) {
    Keyboard.giveBack()
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    // The signal stays pending until this thread unblocks it.
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
    // Under nohup, the process ignores the hang-up when the terminal is closed.
    for number in [SIGHUP] + defaults where clinux_is_ignored(number) == 0 {
      unsafe sigaddset(&set, number)
    }
    return set
  }
}
