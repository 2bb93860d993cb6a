internal import CLinux
internal import Glibc

/// This process itself.
public enum ThisProcess {
  /// Path of the program.
  public static var program: String { target(ofLink: "/proc/self/exe") }

  /// The target of a symbolic link; empty if the path is not a link, or if this process may not
  /// read it.
  public static func target(ofLink path: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return unsafe readlink(path, start.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// Process id.
  public static var id: Int32 { getpid() }

  /// The arguments after the program's name.
  public static var arguments: [String] { Array(CommandLine.arguments.dropFirst()) }

  /// The number of the first argument after the program's name that is not UTF-8 text, from 1;
  /// `nil` if all are. `arguments` has replacement characters in place of its bytes.
  public static var unreadableArgument: Int? {
    // Safety: the system keeps the arguments for as long as the process exists, each with a byte 0
    // at its end, and nothing here writes to them.
    let number = (1..<max(1, Int(CommandLine.argc))).first { number in
      guard let argument = unsafe CommandLine.unsafeArgv[number] else { return false }
      return unsafe String(validatingCString: argument) == nil
    }
    return number
  }

  /// Occupies the numbers of standard streams that the caller has closed, as in `>&-`: input is at
  /// its end, and output fails. Otherwise the next file opened would get such a number, and the
  /// output with it. Call it before anything is opened.
  public static func occupyClosedStreams() {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
      // The system assigns the lowest free number. A file opened for reading cannot be written.
      _ = unsafe open("/dev/null", O_RDONLY)
    }
  }

  /// Closes standard output: its reader finds the end, and later output is discarded.
  public static func closeStandardOutput() throws(SystemError) {
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    guard dup2(nowhere.number, STDOUT_FILENO) >= 0 else {
      throw SystemError("close standard output")
    }
  }

  /// Prevents core files on a crash, since they may contain secrets. This also applies to programs
  /// that it starts.
  public static func leaveNoCoreFile() {
    _ = clinux_leave_no_core_file()
  }

  /// Returns large amounts of memory to the system as soon as they are freed, for a program that
  /// sometimes needs much, or that starts threads again and again. Call it before there are other
  /// threads.
  public static func returnMemory() {
    clinux_return_memory()
  }

  /// Returns all free memory to the system, and the code that is no longer needed: the system reads
  /// it again from its files on demand. It takes milliseconds, and is meant for the end of a phase
  /// that needed much memory, such as the start.
  public static func trimMemory() {
    clinux_trim_memory()
  }

  /// Runs `body` as a task, and ends the process with the status that it returns.
  ///
  /// The main thread waits meanwhile. It exists before any other thread, so signals that it blocks
  /// (`SignalWatch.prepareProcess`) are blocked in all of them. An asynchronous `main` would give
  /// the main thread to the runtime, which unblocks them.
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

  /// Ends the process with an exit status, and removes remaining temporary folders.
  public static func exit(_ status: Int32) -> Never {
    Keyboard.giveBack()
    TemporaryFolder.removeAll()
    Glibc.exit(status)
  }

  /// Ends the process without running exit handlers, since those of libraries may wait for threads
  /// that are stuck.
  public static func exitAtOnce(_ status: Int32) -> Never {
    Keyboard.giveBack()
    TemporaryFolder.removeAll()
    _exit(status)
  }
}
