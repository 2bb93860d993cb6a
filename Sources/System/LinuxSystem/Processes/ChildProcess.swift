internal import Glibc

/// A program that was started by this process. A separate thread waits for it to end.
public final class ChildProcess: Sendable {
  /// A child's role, which determines the signals that it receives and when it must end.
  public enum Role: Sendable {
    /// A helper of this process. The kernel kills it if this process ends for any reason.
    ///
    /// The helper has its own process group. Otherwise, Ctrl-C at the terminal would reach it
    /// before the code that uses it has ended. It is started through `setpriv --pdeathsig KILL`.
    /// The kernel kills it when the *thread* that started it ends, so a dedicated thread starts it.
    case helper
    /// A command that runs on behalf of the caller in this process's group, so signals from a
    /// terminal reach both processes.
    case command
    /// A process that outlives this one in its own session. Signals from a terminal do not reach
    /// it.
    case background
  }

  public let id: Int32
  private let role: Role
  private let life: ChildLife
  private let thread: NamedThread

  /// Finds `program` in `PATH` and starts it with these arguments.
  ///
  /// - Parameters:
  ///   - environment: variables to add to this process's environment, or to replace in it.
  ///   - inheriting: descriptors of this process and their numbers in the child, duplicated in this
  ///     order. The child also inherits the standard streams.
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

  /// Kills the child and reaps it. Further calls do nothing.
  public func kill() {
    life.signal(SIGKILL)
    thread.join()
  }

  /// Sends the child a signal, unless it has ended.
  public func signal(_ number: Int32) {
    life.signal(number)
  }

  /// Waits for the child to end without blocking a thread. Returns its exit status. If a signal
  /// ended the child, the status is 128 plus the signal's number, as in shells.
  public func end() async -> Int32 {
    await life.end()
  }

  /// Returns the path of `program` in `PATH`, or `nil` if it is not found.
  public static func locate(_ program: String) -> String? {
    let path = Environment.variables["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").lazy.map { $0 + "/" + program }
      .first { unsafe access($0, X_OK) == 0 }
  }
}

/// State that a child's owner shares with the thread that waits for the child.
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
      // The program was started. It may already have ended.
      case .running(let id), .collected(let id, _): return id
      }
    }
  }

  /// Waits for the child to end, then reaps it under the lock, so that `signal` never uses the id
  /// of a reaped process.
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
