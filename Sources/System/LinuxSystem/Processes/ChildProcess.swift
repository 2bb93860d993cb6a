internal import Glibc

/// A program started by this process, which waits for its end on a separate thread.
public final class ChildProcess: Sendable {
  /// The relation of a child to this process.
  public enum Role: Sendable {
    /// A part of this process: the kernel ends it even when this process is killed.
    ///
    /// It has its own process group; otherwise Ctrl-C at the terminal would reach it before its
    /// users have ended. It is started through `setpriv --pdeathsig KILL`. The kernel ties it to
    /// the *thread* that starts it, hence the thread.
    case helper
    /// A command run for the caller, in this process's group: signals from a terminal reach both.
    case command
    /// A process that outlives this one, in its own session: no signal from a terminal reaches it.
    case background
  }

  /// Process id of the child.
  public let id: Int32
  private let role: Role
  private let life: ChildLife
  private let thread: NamedThread

  /// Starts `program` (searched in `PATH`) with these arguments.
  ///
  /// - Parameters:
  ///   - environment: variables added to this process's environment, or replacing some of it.
  ///   - inheriting: descriptors of this process and their numbers in the child, duplicated in this
  ///     order. The child has the standard streams anyway.
  public init(
    _ program: String, _ arguments: [String], as role: Role = .helper,
    environment: [String: String] = [:], inheriting: [(ours: Int32, theirs: Int32)] = []
  ) throws(SystemError) {
    let tie = role == .helper ? ["setpriv", "--pdeathsig", "KILL", "--"] : []
    let group: ProcessStart.Group =
      switch role {
      case .helper: .own
      case .command: .ours
      case .background: .session
      }
    let start = ProcessStart(
      words: tie + [program] + arguments, environment: environment, inheriting: inheriting,
      group: group, restoresSignals: role != .helper)
    let life = try ChildLife()
    let thread = try NamedThread("child") {
      life.begin(start.run())
      life.waitForEnd()
    }
    do throws(SystemError) {
      id = try life.waitForStart(of: program)
    } catch {
      thread.join()
      throw error
    }
    self.thread = thread
    self.role = role
    self.life = life
  }

  deinit {
    switch role {
    case .helper, .command: kill()
    case .background: thread.letGo()
    }
  }

  /// Kills the child and collects it. Later calls do nothing.
  public func kill() {
    life.signal(SIGKILL)
    thread.join()
  }

  /// Sends the child a signal, unless it has ended.
  public func signal(_ number: Int32) {
    life.signal(number)
  }

  /// Waits for the child's end without blocking a thread. Returns its exit status or, like shells,
  /// 128 and the number of the signal that ended it.
  public func end() async -> Int32 {
    await life.end()
  }

  /// The path of `program` in `PATH`; `nil` if it is not found.
  public static func locate(_ program: String) -> String? {
    let path = Environment.variables["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").lazy.map { $0 + "/" + program }
      .first { unsafe access($0, X_OK) == 0 }
  }
}

/// The state that a child's thread and owner share.
private final class ChildLife: Sendable {
  private enum Phase {
    case starting
    case failed(errno: Int32)
    case running(Int32)
    case collected(Int32, status: Int32)
  }

  private struct State {
    var phase = Phase.starting
    var waits: [CheckedContinuation<Int32, Never>] = []
  }

  private let state = Guarded(State())
  private let started: WakeUp

  init() throws(SystemError) {
    started = try WakeUp()
  }

  func begin(_ outcome: Int32) {
    state.withLock { $0.phase = outcome > 0 ? .running(outcome) : .failed(errno: -outcome) }
    started.ring()
  }

  func waitForStart(of program: String) throws(SystemError) -> Int32 {
    var polls = PollSet()
    polls.add(started.number)
    while true {
      switch state.withLock({ $0.phase }) {
      case .starting: polls.wait(seconds: nil)
      case .failed(let number): throw SystemError("start \(program)", number: number)
      // A short program may already have ended; it was started.
      case .running(let id), .collected(let id, _): return id
      }
    }
  }

  /// Waits without collecting, so that the id stays valid until `signal` cannot use it any more.
  func waitForEnd() {
    guard case .running(let id) = state.withLock({ $0.phase }) else { return }
    var info = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let (waits, status) = state.withLock { state in
      var word: Int32 = 0
      unsafe waitpid(id, &word, 0)
      let signal = word & 0x7f
      let status = signal == 0 ? word >> 8 & 0xff : 128 + signal
      state.phase = .collected(id, status: status)
      defer { state.waits.removeAll() }
      return (state.waits, status)
    }
    for wait in waits { wait.resume(returning: status) }
  }

  func end() async -> Int32 {
    await withCheckedContinuation { continuation in
      let status = state.withLock { state -> Int32? in
        if case .collected(_, let status) = state.phase { return status }
        state.waits.append(continuation)
        return nil
      }
      if let status { continuation.resume(returning: status) }
    }
  }

  func signal(_ number: Int32) {
    state.withLock { state in
      if case .running(let id) = state.phase { _ = Glibc.kill(id, number) }
    }
  }
}
