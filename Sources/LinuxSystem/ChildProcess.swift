internal import CLinux
internal import Glibc

/// A program started by us that ends with us.
///
/// It is started through `setpriv --pdeathsig KILL`, so the kernel ends it even when this process
/// is killed. The kernel ties it to the *thread* that starts it, hence each child has a thread of
/// its own, which then waits for its end.
public final class ChildProcess: Sendable {
  /// Its process id.
  public let id: Int32
  private let life: ChildLife
  private let thread: NamedThread

  /// Starts `program` (searched in `PATH`) with these arguments.
  ///
  /// - Parameter inheriting: descriptors of ours and the numbers they get in the child.
  public init(
    _ program: String, _ arguments: [String], inheriting: [(ours: Int32, theirs: Int32)] = []
  ) throws(SystemError) {
    let words = ["setpriv", "--pdeathsig", "KILL", "--", program] + arguments
    let life = try ChildLife()
    thread = try NamedThread("child") {
      life.begin(Self.spawn(words, inheriting))
      life.waitForEnd()
    }
    id = try life.waitForStart(of: program)
    self.life = life
  }

  deinit {
    kill()
  }

  /// Ends it for certain and collects it. Later calls do nothing.
  public func kill() {
    life.kill()
    thread.join()
  }

  /// Where `PATH` has `program`, if it has it.
  public static func locate(_ program: String) -> String? {
    let path = Environment.variables["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").lazy.map { $0 + "/" + program }
      .first { unsafe access($0, X_OK) == 0 }
  }

  /// The id of the new process, or minus `errno`.
  private static func spawn(
    _ words: [String], _ inheriting: [(ours: Int32, theirs: Int32)]
  ) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (ours, theirs) in inheriting {
      unsafe posix_spawn_file_actions_adddup2(&actions, ours, theirs)
    }
    // Nothing else of ours, also not what a library opened without close-on-exec: a pipe that a
    // child holds by accident does not end.
    let last = inheriting.map(\.theirs).max() ?? STDERR_FILENO
    unsafe clinux_close_from(&actions, max(last, STDERR_FILENO) + 1)
    // Without our signal mask, or it would not hear SIGTERM; in a group of its own, or Ctrl-C at
    // our terminal would reach it before we have ended what uses it.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    // Safety: the copied words live until the child has started.
    var pointers = unsafe words.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free($0) } }
    var id = pid_t()
    let outcome = unsafe posix_spawnp(
      &id, "setpriv", &actions, &attributes, pointers, clinux_environment())
    return outcome == 0 ? id : -outcome
  }
}

/// What the thread of a child and its owner share.
private final class ChildLife: Sendable {
  private enum State {
    case starting
    case failed(errno: Int32)
    case running(Int32)
    case collected(Int32)
  }

  private let state = Guarded(State.starting)
  private let started: WakeUp

  init() throws(SystemError) {
    started = try WakeUp()
  }

  func begin(_ outcome: Int32) {
    state.withLock { $0 = outcome > 0 ? .running(outcome) : .failed(errno: -outcome) }
    started.ring()
  }

  func waitForStart(of program: String) throws(SystemError) -> Int32 {
    var polls = PollSet()
    polls.add(started.number)
    while true {
      switch state.withLock({ $0 }) {
      case .starting: polls.wait(seconds: nil)
      case .failed(let number): throw SystemError("start \(program)", number: number)
      // Whether a short program is still there by now is a matter of luck: it was started.
      case .running(let id), .collected(let id): return id
      }
    }
  }

  /// Waits without collecting, so that the id stays taken until `kill` cannot use it any more.
  func waitForEnd() {
    guard case .running(let id) = state.withLock({ $0 }) else { return }
    var info = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    state.withLock { state in
      waitpid(id, nil, 0)
      state = .collected(id)
    }
  }

  func kill() {
    state.withLock { state in
      if case .running(let id) = state { _ = Glibc.kill(id, SIGKILL) }
    }
  }
}
