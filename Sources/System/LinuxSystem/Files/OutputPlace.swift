internal import Glibc
public import Values

/// A result's destination, given as a path. Every command that writes a result uses this type, so
/// all commands interpret paths in the same way.
public enum OutputPlace: Hashable, Sendable {
  /// A regular file, with links resolved. It is written under another name and renamed when
  /// complete.
  case file(String, isThere: Bool)
  case folder(String)
  /// A terminal, another device or a pipe. It receives bytes as they are written and is never
  /// renamed.
  case stream(String)
  case standardOutput

  /// The argument that selects standard output.
  public static let dash = "-"

  /// Determines what kind of destination a path refers to. Does not open or create anything.
  public init(_ path: String) throws(OutputRefusal) {
    // The paths in `/dev` and `/proc` are links to the file or device behind standard output. If
    // the links were followed, that file would be replaced.
    if [Self.dash, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path) {
      self = .standardOutput
      return
    }
    if ["/dev/stderr", "/dev/fd/", "/proc/self/fd/"].contains(where: { path.hasPrefix($0) }) {
      self = .stream(path)
      return
    }
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      // The path may be a link whose target does not exist yet.
      self = .file(try Self.target(of: path), isThere: false)
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .file(try Self.target(of: path), isThere: true)
    case S_IFDIR: self = .folder(try Self.target(of: path))
    case S_IFCHR, S_IFIFO: self = .stream(path)
    case S_IFBLK:
      throw OutputRefusal(
        "cannot write \(path): it is a whole disk", remedy: "give the path of a file")
    default:
      throw OutputRefusal(
        "cannot write \(path): it is a socket",
        remedy: "give the path of a file, or write to standard output with '-' and redirect it")
    }
  }

  /// Returns the error to report if a file already exists at the path.
  public static func occupied(_ path: String) -> OutputRefusal {
    OutputRefusal(
      "cannot write \(path): the file already exists",
      remedy: "give another name, or add --force to replace it")
  }

  /// Throws if a file already exists at the path. A device or pipe is accepted, because writing
  /// does not replace it.
  public static func refuseOccupied(_ path: String) throws(OutputRefusal) {
    if case .file(_, isThere: true) = try OutputPlace(path) { throw occupied(path) }
  }

  /// Renames a synced result to its final path. After this call returns, a power cut cannot undo
  /// the change.
  ///
  /// - Parameter name: the path as the user wrote it, for messages.
  public static func put(
    _ temporary: String, at target: String, replaces: Bool, name: String
  ) throws(OutputRefusal) {
    do throws(SystemError) {
      try Durability.place(temporary, at: target, replaces: replaces)
    } catch {
      throw OutputRefusal(error, writing: name)
    }
  }

  /// Follows the links at a path to their final target. Returns the path itself if it is not a
  /// link.
  private static func target(of path: String) throws(OutputRefusal) -> String {
    var path = path
    // The kernel also follows at most 40 links.
    for _ in 0..<40 {
      var status = stat()
      guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
        return path
      }
      var name = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let count = unsafe name.withUnsafeMutableBytes { name in
        guard let start = name.baseAddress else { return 0 }
        return unsafe readlink(path, start, name.count)
      }
      guard count > 0 else { return path }
      let next = String(decoding: name.prefix(count), as: UTF8.self)
      path = next.hasPrefix("/") ? next : Folder.containing(path) + next
    }
    throw OutputRefusal(SystemError("follow \(path)", number: ELOOP), writing: path)
  }
}

/// Reports that a result cannot be written. States the failure, the file and the remedy.
public struct OutputRefusal: Remediable, Hashable {
  /// The failure on one line: the operation, its object and the reason.
  public var message: String
  public var remedy: String

  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }

  /// Converts an error that the kernel returned while a file was being written.
  public init(_ error: SystemError, writing path: String) {
    guard error.number != EEXIST else {
      self = OutputPlace.occupied(path)
      return
    }
    self.init("cannot write \(path): \(error.reason)", remedy: Self.remedy(error.number))
  }

  private static func remedy(_ number: Int32) -> String {
    switch number {
    case ENOSPC, EDQUOT: "free some space on that disk, or give a path on another"
    case EACCES, EPERM, EROFS: "give a path in a folder that this user can write to"
    case ENOENT, ENOTDIR: "create the folder first, or correct the path"
    case EISDIR, ENOTEMPTY: "give the path of a file, not of a folder"
    case ELOOP: "give the path of a file: the links at this path form a loop"
    case ENXIO: "no program reads from it: start the reader first"
    case EPIPE: "restart the program that reads from it, and let it read to the end"
    default: "check the disk with: dmesg"
    }
  }
}
