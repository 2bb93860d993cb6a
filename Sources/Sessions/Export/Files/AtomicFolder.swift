internal import Glibc
public import LinuxSystem

/// Writes a folder that appears at its path only when all its files are complete.
///
/// The folder is created under a hidden name next to its final path, and `commit()` renames it. If
/// the value is destroyed before that, the folder and its files are removed. A folder at the final
/// path must be empty unless `replaces` is true. In that case, each complete file replaces the
/// existing file of the same name, and all other files remain.
public struct AtomicFolder: ~Copyable {
  /// The final path, as given by the caller.
  public let path: String
  /// The final path with symbolic links resolved.
  private let target: String
  /// The path of the folder until it is committed; `nil` if files are replaced in an existing
  /// folder.
  private let temporaryPath: String?

  /// The parent of `path` must exist.
  public init(path: String, replaces: Bool = false) throws(OutputRefusal) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    let (target, exists) = try Self.target(path)
    let isReplaced = exists && (try? Folder.names(in: target))?.isEmpty != true
    if isReplaced, !replaces {
      throw OutputRefusal(
        "cannot write \(path): the folder is not empty",
        remedy: "name a folder that does not exist yet or is empty, or add --force to replace "
          + "files in it")
    }
    let temporaryPath = isReplaced ? nil : Durability.hiddenName(beside: target)
    if let temporaryPath, unsafe mkdir(temporaryPath, 0o777) != 0 {
      throw OutputRefusal(SystemError("create \(path)"), writing: path)
    }
    self.path = path
    self.target = target
    self.temporaryPath = temporaryPath
  }

  /// Returns the path of a folder to write, with symbolic links resolved, and whether it exists.
  static func target(_ path: String) throws(OutputRefusal) -> (path: String, exists: Bool) {
    switch try OutputPlace(path) {
    case .file(let target, isThere: false): return (target, false)
    case .folder(let target): return (target, true)
    case .file, .stream, .standardOutput:
      throw OutputRefusal(
        "cannot write several files to \(path): it is not a folder",
        remedy: "name a folder that does not exist yet, or is empty")
    }
  }

  deinit {
    if let temporaryPath { TemporaryFolder.removeTree(temporaryPath) }
  }

  /// Starts writing a file in the folder. The file must be committed before the folder.
  public func file(_ name: String) throws(OutputRefusal) -> OutputFile {
    try OutputFile(path: (temporaryPath ?? target) + "/" + name, replaces: temporaryPath == nil)
  }

  /// Renames the folder to its final path. When this returns, the rename is on disk and survives a
  /// power cut.
  public consuming func commit() throws(OutputRefusal) {
    guard let temporaryPath else { return }
    // Renaming a folder can replace another folder only if that folder is empty.
    try OutputPlace.put(temporaryPath, at: target, replaces: true, name: path)
  }
}
