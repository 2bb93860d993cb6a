internal import CLinux
internal import Glibc

/// Reports when a process ends, even if it is not a child of this process.
public final class ProcessWatch: Sendable {
  private let wake: WakeUp
  private let thread: NamedThread

  /// Calls `ended` once on a separate thread, when the process has ended or this watch has been
  /// destroyed.
  ///
  /// - Parameter process: a process descriptor, such as the result of `CallingShell.find`.
  public init(
    _ process: consuming OwnedDescriptor, _ ended: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let wake = try WakeUp()
    let box = DescriptorBox(process)
    self.wake = wake
    thread = try NamedThread("watch") {
      defer { ended() }
      guard let process = box.take() else { return }
      var polls = PollSet()
      let places = [polls.add(process.number), polls.add(wake.number)]
      // A signal may interrupt the wait.
      while !places.contains(where: polls.isReady) { polls.wait(seconds: nil) }
    }
  }

  deinit {
    wake.ring()
    thread.join()
  }
}

/// Finds the shell that reads this process's output, as in `eval "$(footbridge …)"`.
public enum CallingShell {
  /// Returns a process descriptor for the shell, which a `ProcessWatch` can use to detect that the
  /// shell has ended.
  ///
  /// The shell need not be the parent process. In `$(cd /; footbridge …)`, the parent is a subshell
  /// that ends with this process. The same applies to wrappers like `timeout`. Subshells and
  /// wrappers write to the same pipe as this process, and the shell itself reads from it.
  public static func find() throws(SystemError) -> OwnedDescriptor {
    var id = getppid()
    if let pipe = pipe(of: "self") {
      while self.pipe(of: "\(id)") == pipe, let parent = parent(of: id) { id = parent }
    }
    let number = clinux_open_process(id)
    guard number >= 0 else { throw SystemError("watch process \(id)") }
    return OwnedDescriptor(owning: number)
  }

  /// Returns the pipe or socket behind a process's standard output, such as `pipe:[4711]`. Returns
  /// `nil` if it is neither, or if this process may not inspect it.
  private static func pipe(of process: String) -> String? {
    let target = ThisProcess.target(ofLink: "/proc/\(process)/fd/1")
    // Some shells use socket pairs instead of pipes.
    return target.hasPrefix("pipe:") || target.hasPrefix("socket:") ? target : nil
  }

  private static func parent(of id: Int32) -> Int32? {
    // The process name is in parentheses, and can itself contain parentheses. The state and the
    // parent's id come after it.
    guard let line = WholeFile.text("/proc/\(id)/stat"), let end = line.lastIndex(of: ")") else {
      return nil
    }
    let fields = line[end...].split(separator: " ")
    return fields.count > 2 ? Int32(fields[2]).flatMap { $0 > 0 ? $0 : nil } : nil
  }
}
