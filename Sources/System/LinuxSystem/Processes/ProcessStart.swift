internal import CLinux
internal import Glibc

/// The parameters for starting a program: its arguments, process group, environment variables and
/// descriptors.
struct ProcessStart: Sendable {
  /// The process group to start the program in. It determines which signals a terminal sends to the
  /// program.
  enum Group: Sendable {
    case own
    case ours
    /// A new session that has no terminal.
    case session
  }

  /// The program, which is searched for in `PATH`, followed by its arguments.
  var words: [String]
  /// Variables to add to this process's environment, or to replace in it.
  var environment: [String: String] = [:]
  /// Descriptors of this process and their numbers in the child, duplicated in this order.
  var inheriting: [(ours: Int32, theirs: Int32)] = []
  var group = Group.own
  /// Whether SIGPIPE and SIGQUIT have their default actions in the child, even if this process
  /// ignores these signals.
  var restoresSignals = false

  /// Starts the program. Returns the new process's id, or minus `errno` on failure.
  func run() -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (ours, theirs) in inheriting {
      unsafe posix_spawn_file_actions_adddup2(&actions, ours, theirs)
    }
    // The child inherits no other descriptor, not even if a library opened one without
    // close-on-exec. If a child inherited the writing end of a pipe by accident, the pipe's reader
    // would never reach the end of the data.
    let last = inheriting.map(\.theirs).max() ?? STDERR_FILENO
    unsafe clinux_close_from(&actions, max(last, STDERR_FILENO) + 1)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // If the child inherited this process's signal mask, SIGTERM would be blocked in the child.
    var flags = POSIX_SPAWN_SETSIGMASK
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    switch group {
    case .own: flags |= POSIX_SPAWN_SETPGROUP  // A new one: the attributes have group 0.
    case .ours: break
    case .session: flags |= Int32(clinux_spawn_session)
    }
    if restoresSignals {
      var restored = sigset_t()
      unsafe sigemptyset(&restored)
      unsafe sigaddset(&restored, SIGPIPE)
      unsafe sigaddset(&restored, SIGQUIT)
      unsafe posix_spawnattr_setsigdefault(&attributes, &restored)
      flags |= POSIX_SPAWN_SETSIGDEF
    }
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    // Safety: the copied words exist until the child has started.
    var pointers = unsafe words.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free($0) } }
    let added = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") }
    defer { unsafe added.forEach { unsafe free($0) } }
    let variables = unsafe kept() + added + [nil]
    var id = pid_t()
    let outcome = unsafe posix_spawnp(
      &id, words[0], &actions, &attributes, pointers, variables)
    return outcome == 0 ? id : -outcome
  }

  /// Returns this process's environment variables, byte for byte, except the replaced ones.
  private func kept() -> [UnsafeMutablePointer<CChar>?] {
    var kept = unsafe [UnsafeMutablePointer<CChar>?]()
    // Safety: nothing in this process changes its environment.
    guard var entry = unsafe clinux_environment() else { return unsafe kept }
    while let text = unsafe entry.pointee {
      let name = unsafe String(cString: text).prefix { $0 != "=" }
      if environment[String(name)] == nil { unsafe kept.append(text) }
      unsafe entry += 1
    }
    return unsafe kept
  }
}
