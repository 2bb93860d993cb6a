internal import CLinux
internal import Glibc
internal import LinuxSystem

/// A child process and its end, for which a thread waits. While an ended child is not collected,
/// the thread that waits for Swift Testing's exit tests spins.
///
/// Foundation's `Process` waits for its children with `select`, which takes no descriptor above
/// 1,023. Tests that run side by side have more open.
final class SpawnedProcess: Sendable {
  let id: Int32
  private let ended = Guarded<Int32?>(nil)
  private let collector: NamedThread
  /// The running processes, to be killed when an orderly end is impossible.
  private static let running = Guarded<Set<Int32>>([])

  /// Starts a program that writes to these descriptors, with nothing to read unless `input` is the
  /// path of something.
  init(
    _ executable: String, _ arguments: [String], environment: [String: String], output: Int32,
    errors: Int32, input: String = "/dev/null"
  ) throws(SystemError) {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY | O_NOCTTY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, 2)
    // Closes all descriptors that other tests have open: their pipes would not end while this child
    // lives.
    unsafe clinux_close_from(&actions, 3)
    // Our threads block signals that a started program wants to receive.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    // Safety: the copied words live until the child has started.
    var words = unsafe ([executable] + arguments).map { unsafe strdup($0) }
    unsafe words.append(nil)
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") }
    unsafe variables.append(nil)
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    var id = pid_t()
    let outcome = unsafe posix_spawn(&id, executable, &actions, &attributes, words, variables)
    guard outcome == 0 else { throw SystemError("start \(executable)", number: outcome) }
    self.id = id
    Self.running.withLock { [id] in _ = $0.insert(id) }
    collector = try NamedThread("child") { [ended, id] in Self.collect(id, ended) }
  }

  /// Ends all running processes, just before this process ends itself.
  static func killAll() {
    running.withLock { for id in $0 { _ = Glibc.kill(id, SIGKILL) } }
  }

  /// Its exit status, or minus the number of the signal that ended it; `nil` while it runs.
  var status: Int32? { ended.withLock { $0 } }

  /// Waits on this thread until the process ends; returns its status.
  func wait() -> Int32? {
    collector.join()
    return status
  }

  /// Kills the process, unless it has ended.
  func kill() {
    signal(SIGKILL)
    collector.join()
  }

  /// Sends a signal, unless the process has ended.
  func signal(_ number: Int32) {
    ended.withLock { ended in
      if ended == nil { _ = Glibc.kill(id, number) }
    }
  }

  /// Waits without collecting, so that the id stays valid until `signal` cannot use it any more.
  private static func collect(_ id: Int32, _ ended: Guarded<Int32?>) {
    var info = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    ended.withLock { ended in
      var status: Int32 = 0
      let isCollected = unsafe waitpid(id, &status, 0) == id
      running.withLock { _ = $0.remove(id) }
      let signal = status & 0x7f
      // If other code collected the process, its status is lost.
      ended = !isCollected ? -1 : signal == 0 ? status >> 8 & 0xff : -signal
    }
  }
}
