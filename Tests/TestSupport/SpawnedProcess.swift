internal import CLinux
internal import Glibc
internal import LinuxSystem

/// A child process, and a thread that waits for its end and reaps it. While an ended child is not
/// reaped, the thread that waits for Swift Testing's exit tests uses all of a processor.
///
/// Foundation's `Process` waits for its children with `select`, which does not support descriptors
/// above 1,023. Concurrent tests have more descriptors open than that.
final class SpawnedProcess: Sendable {
  let id: Int32
  private let ended = Guarded<Int32?>(nil)
  private let collector: NamedThread
  /// The ids of the running processes, which are killed if a clean shutdown is impossible.
  private static let running = Guarded<Set<Int32>>([])

  /// Starts a program that writes to these descriptors. Its standard input is empty unless `input`
  /// is the path of a file.
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
    // Closes all descriptors that other tests have open. Otherwise, pipes of those tests would not
    // end while this child runs.
    unsafe clinux_close_from(&actions, 3)
    // The threads of this process block signals that a started program may want to receive.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    // Safety: the copied strings exist until the child has started.
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

  /// Kills all running processes, just before this process ends.
  static func killAll() {
    running.withLock { for id in $0 { _ = Glibc.kill(id, SIGKILL) } }
  }

  /// The exit status, or the negated number of the signal that ended the process; `nil` while it
  /// runs.
  var status: Int32? { ended.withLock { $0 } }

  /// Blocks this thread until the process ends, and returns its exit status.
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

  /// Waits for the end without reaping the process, so that its id stays valid until `signal` can
  /// no longer use it.
  private static func collect(_ id: Int32, _ ended: Guarded<Int32?>) {
    var info = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    ended.withLock { ended in
      var status: Int32 = 0
      let isCollected = unsafe waitpid(id, &status, 0) == id
      running.withLock { _ = $0.remove(id) }
      let signal = status & 0x7f
      // If other code reaped the process, its exit status is unknown.
      ended = !isCollected ? -1 : signal == 0 ? status >> 8 & 0xff : -signal
    }
  }
}
