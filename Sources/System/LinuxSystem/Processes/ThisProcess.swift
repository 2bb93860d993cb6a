internal import CLinux
internal import Glibc

/// Operations on the current process, and information about it.
public enum ThisProcess {
  public static var program: String { target(ofLink: "/proc/self/exe") }

  /// Returns the target of a symbolic link. Returns an empty string if the path is not a link, or
  /// if this process may not read it.
  public static func target(ofLink path: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return unsafe readlink(path, start.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  public static var id: Int32 { getpid() }

  public static var arguments: [String] { Array(CommandLine.arguments.dropFirst()) }

  /// The position of the first argument that is not valid UTF-8, counted from 1 after the program's
  /// name; `nil` if all arguments are valid. In `arguments`, invalid bytes appear as replacement
  /// characters.
  public static var unreadableArgument: Int? {
    // Safety: the system keeps the NUL-terminated arguments while the process exists, and nothing
    // here writes to them.
    let number = (1..<max(1, Int(CommandLine.argc))).first { number in
      guard let argument = unsafe CommandLine.unsafeArgv[number] else { return false }
      return unsafe String(validatingCString: argument) == nil
    }
    return number
  }

  /// Reopens standard streams that the caller closed, as in `>&-`: reads then return end-of-file,
  /// and writes fail. Otherwise, the next file opened would get the number of such a stream and
  /// receive its output. Call this before opening any file.
  public static func occupyClosedStreams() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
      // The system assigns the lowest free number. A write to a stream reopened for reading fails.
      _ = unsafe open("/dev/null", O_RDONLY)
    }
  }

  /// Closes standard output. Its reader sees the end of the output, and anything written later is
  /// discarded.
  public static func closeStandardOutput() throws(SystemError) {
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    guard dup2(nowhere.number, STDOUT_FILENO) >= 0 else {
      throw SystemError("close standard output")
    }
  }

  /// Prevents a crash from leaving a core file, which may contain secrets. Child processes inherit
  /// this setting.
  public static func leaveNoCoreFile() {
    _ = clinux_leave_no_core_file()
  }

  /// Makes the allocator return large blocks of memory to the system as soon as they are freed.
  /// This helps a program that needs a lot of memory only occasionally, or that starts threads
  /// repeatedly. Call this while there is only one thread.
  public static func returnMemory() {
    clinux_return_memory()
  }

  /// Returns all free memory to the system. It also releases code pages, which the system reads
  /// again from their files on demand. This takes milliseconds. Call it after a phase that needed a
  /// lot of memory, such as startup.
  public static func trimMemory() {
    clinux_trim_memory()
  }

  /// Runs `body` as a task, then ends the process with the exit status that the task returns.
  ///
  /// The main thread waits for the task. The main thread is the first thread, so all others inherit
  /// its blocked signals (`SignalWatch.prepareProcess`). An asynchronous `main` would give the main
  /// thread to the runtime, which unblocks these signals.
  public static func run(_ body: @escaping @Sendable () async -> Int32) -> Never {
    guard let ended = try? Mailbox<Int32>() else { exit(1) }
    Task.detached { _ = ended.post(await body()) }
    var polls = PollSet()
    polls.add(ended.bell.number)
    while true {
      polls.wait(seconds: nil)
      if let status = ended.takeAll().first { exit(status) }
    }
  }

  /// Ends the process with an exit status. Restores the terminal and removes the remaining
  /// temporary folders first.
  public static func exit(_ status: Int32) -> Never {
    Keyboard.giveBack()
    TemporaryFolder.removeAll()
    Glibc.exit(status)
  }

  /// Ends the process like `exit`, but without exit handlers. A library's exit handlers may wait
  /// for threads that are stuck.
  public static func exitAtOnce(_ status: Int32) -> Never {
    Keyboard.giveBack()
    TemporaryFolder.removeAll()
    _exit(status)
  }
}
