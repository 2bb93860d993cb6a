internal import Glibc
internal import LinuxSystem

/// The measured machine and commit, which are needed to interpret the figures.
public struct Machine: Hashable, Sendable {
  public let processor: String
  /// The number of online processors.
  public let cores: Int
  /// The commit checked out in the working folder, marked if there are uncommitted changes.
  public let commit: String

  /// Describes this machine, and the commit in the working folder.
  public static func current() -> Machine {
    Machine(
      processor: processorName(), cores: sysconf(Int32(_SC_NPROCESSORS_ONLN)),
      commit: commitName())
  }

  /// Returns the processor's name. PCs report it in `/proc/cpuinfo`; boards such as the Raspberry
  /// Pi report it in their device tree.
  private static func processorName() -> String {
    for line in beginning(of: "/proc/cpuinfo").split(separator: "\n")
    where line.hasPrefix("model name") {
      let name = line.drop { $0 != ":" }.dropFirst().drop { $0 == " " }
      if !name.isEmpty { return String(name) }
    }
    let board = beginning(of: "/proc/device-tree/model").prefix { $0 != "\0" }
    return board.isEmpty ? "unknown" : String(board)
  }

  private static func beginning(of path: String) -> String {
    guard let file = try? OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnly) else {
      return ""
    }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = file.read(into: &bytes)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private static func commitName() -> String {
    guard let output = try? ChildOutput(),
      let nowhere = try? OwnedDescriptor.open("/dev/null", flags: O_WRONLY),
      // Without tags, git prints the commit and a mark for uncommitted changes.
      let git = try? ChildProcess(
        "git", ["describe", "--always", "--dirty", "--exclude", "*"],
        inheriting: [(output.writing.number, 1), (nowhere.number, 2)])
    else { return "unknown" }
    defer { git.kill() }
    return output.closeWriting().firstLine(seconds: 10) ?? "unknown"
  }
}
