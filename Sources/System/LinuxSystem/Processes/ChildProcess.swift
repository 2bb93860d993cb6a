internal import Glibc

/// A program started by us, which we wait for on a thread of its own.
public final class ChildProcess: Sendable {
  /// What a child is to us.
  public enum Role: Sendable {
    /// A part of us: the kernel ends it even when this process is killed.
    ///
    /// It is in a group of its own, or Ctrl-C at our terminal would reach it before we have ended
    /// what uses it. It is started through `setpriv --pdeathsig KILL`; the kernel ties it to the
    /// *thread* that starts it, hence the thread.
    case helper
    /// A command that we run for our caller, in our group: what a terminal sends reaches both.
    case command
    /// A process that goes on after us, in a session of its own: nothing that a terminal sends
    /// reaches it.
    case background
  }

  /// Its process id.
  public let id: Int32
  private let role: Role
  private let life: ChildLife
  private let thread: NamedThread

  /// Starts `program` (searched in `PATH`) with these arguments.
  ///
  /// - Parameters:
  ///   - environment: variables that it gets besides ours, or in their place.
  ///   - inheriting: descriptors of ours and the numbers they get in the child, duplicated in this
  ///     order. It has our standard streams anyway.
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

  /// Ends it for certain and collects it. Later calls do nothing.
  public func kill() {
    life.signal(SIGKILL)
    thread.join()
  }

  /// Sends it a signal, unless it has ended.
  public func signal(_ number: Int32) {
    life.signal(number)
  }

  /// Waits for its end without holding a thread: its exit status, or as shells have it 128 and the
  /// number of the signal that ended it.
  public func end() async -> Int32 {
    await life.end()
  }

  /// Where `PATH` has `program`, if it has it.
  public static func locate(_ program: String) -> String? {
    let path = Environment.variables["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").lazy.map { $0 + "/" + program }
      .first { unsafe access($0, X_OK) == 0 }
  }
}

/// What the thread of a child and its owner share.
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
      // Whether a short program is still there by now is a matter of luck: it was started.
      case .running(let id), .collected(let id, _): return id
      }
    }
  }

  /// Waits without collecting, so that the id stays taken until `signal` cannot use it any more.
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
