internal import CLinux
internal import Glibc

/// Reports the end of a process that need not be a child.
public final class ProcessWatch: Sendable {
  private let wake: WakeUp
  private let thread: NamedThread

  /// Calls `ended` once, on a separate thread, as soon as the process has ended or this watch is
  /// destroyed.
  ///
  /// - Parameter process: a descriptor of the process, as from `CallingShell.find`.
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

/// The shell that reads this process's output, as in `eval "$(footbridge …)"`.
public enum CallingShell {
  /// A descriptor of the shell, by which a `ProcessWatch` sees its end.
  ///
  /// The shell need not be the parent. In `$(cd /; footbridge …)` the parent is a copy of the shell
  /// that ends with this process, as wrappers like `timeout` do. All of these write into the same
  /// pipe as this process, and the shell itself reads it.
  public static func find() throws(SystemError) -> OwnedDescriptor {
    var id = getppid()
    if let pipe = pipe(of: "self") {
      while self.pipe(of: "\(id)") == pipe, let parent = parent(of: id) { id = parent }
    }
    let number = clinux_open_process(id)
    guard number >= 0 else { throw SystemError("watch process \(id)") }
    return OwnedDescriptor(owning: number)
  }

  /// The pipe of a process's standard output, as in `pipe:[4711]`; `nil` if it is not a pipe, or if
  /// this process may not read it.
  private static func pipe(of process: String) -> String? {
    let target = ThisProcess.target(ofLink: "/proc/\(process)/fd/1")
    // Some shells use pairs of sockets for pipes.
    return target.hasPrefix("pipe:") || target.hasPrefix("socket:") ? target : nil
  }

  private static func parent(of id: Int32) -> Int32? {
    // The name is in parentheses and may contain parentheses; state and parent follow it.
    guard let line = WholeFile.text("/proc/\(id)/stat"), let end = line.lastIndex(of: ")") else {
      return nil
    }
    let fields = line[end...].split(separator: " ")
    return fields.count > 2 ? Int32(fields[2]).flatMap { $0 > 0 ? $0 : nil } : nil
  }
}
