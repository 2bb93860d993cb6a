internal import Glibc
internal import LinuxSystem

/// A folder that appears under its name when all of its files are whole, or not at all.
///
/// It is made under a hidden name beside the place it will have; `commit()` renames it. Let go of
/// before that, it disappears with its files. What is at its place may only be an empty folder.
public struct AtomicFolder: ~Copyable {
  /// The name it will have.
  public let path: String
  private let parent: String
  private let temporaryPath: String
  private var names: [String] = []
  private var isCommitted = false

  /// Begins a folder that is to be `path`; the folder above it must exist.
  public init(path: String) throws(ExportError) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    if Self.isOccupied(path) {
      throw ExportError(
        "cannot write \(path): something is there already",
        remedy: "name a folder that does not exist yet, or is empty")
    }
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let parent = slash.map { String(path[...$0]) } ?? "./"
    let number = UInt64.random(in: .min ... .max)
    let temporaryPath = parent + ".footbridge-" + String(number, radix: 16) + ".part"
    guard unsafe mkdir(temporaryPath, 0o777) == 0 else {
      throw ExportError(writing: path, number: errno)
    }
    self.path = path
    self.parent = parent
    self.temporaryPath = temporaryPath
  }

  deinit {
    guard !isCommitted else { return }
    for name in names { _ = unsafe unlink(temporaryPath + "/" + name) }
    _ = unsafe rmdir(temporaryPath)
  }

  /// Begins a file in it, which has to be committed before the folder is.
  public mutating func file(_ name: String) throws(ExportError) -> AtomicFile {
    names.append(name)
    return try AtomicFile(path: temporaryPath + "/" + name)
  }

  /// Makes it the folder of its name. When this returns, a power cut does not undo it.
  public consuming func commit() throws(ExportError) {
    guard unsafe rename(temporaryPath, path) == 0 else {
      throw ExportError(writing: path, number: errno)
    }
    isCommitted = true
    do throws(SystemError) {
      let folder = try OwnedDescriptor.open(parent, flags: O_RDONLY | O_DIRECTORY)
      guard fsync(folder.number) == 0 else { throw SystemError("sync \(parent)") }
    } catch {
      throw ExportError(writing: path, number: error.number)
    }
  }

  /// Whether something is there that a rename would not replace: all but an empty folder.
  private static func isOccupied(_ path: String) -> Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return false }
    guard status.st_mode & S_IFMT == S_IFDIR, let folder = unsafe opendir(path) else { return true }
    defer { _ = unsafe closedir(folder) }
    var entries = 0
    // Every folder has its two names for itself and the one above.
    while entries <= 2, unsafe readdir(folder) != nil { entries += 1 }
    return entries > 2
  }
}
