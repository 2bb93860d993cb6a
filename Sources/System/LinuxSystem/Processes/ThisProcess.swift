internal import CLinux
internal import Glibc

/// This process itself.
public enum ThisProcess {
  /// The path of its program.
  public static var program: String { target(ofLink: "/proc/self/exe") }

  /// Where a symbolic link leads; empty if it is none, or we may not know.
  static func target(ofLink path: String) -> String {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return unsafe readlink(path, start.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// Its id.
  public static var id: Int32 { getpid() }

  /// The words after its program's name.
  public static var arguments: [String] { Array(CommandLine.arguments.dropFirst()) }

  /// Lets go of standard output: its reader finds the end, and later output goes nowhere.
  public static func closeStandardOutput() throws(SystemError) {
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    guard dup2(nowhere.number, STDOUT_FILENO) >= 0 else {
      throw SystemError("close standard output")
    }
  }

  /// Has the system write no image of its memory when it crashes, which may hold secrets. Programs
  /// that it starts write none either.
  public static func leaveNoCoreFile() {
    _ = clinux_leave_no_core_file()
  }

  /// Gives memory back to the system as soon as it is freed, where it is much; for a program that
  /// now and then needs much of it.
  public static func returnMemory() {
    clinux_return_memory()
  }

  /// Ends it with a status for its caller; temporary folders that are still there go with it.
  public static func exit(_ status: Int32) -> Never {
    TemporaryFolder.removeAll()
    Glibc.exit(status)
  }

  /// The same without asking anybody: what libraries do at an end may wait for threads that are
  /// stuck.
  public static func exitAtOnce(_ status: Int32) -> Never {
    TemporaryFolder.removeAll()
    _exit(status)
  }
}
