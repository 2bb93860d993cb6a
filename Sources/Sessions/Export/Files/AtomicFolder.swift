internal import Glibc
public import LinuxSystem

/// A folder that appears under its name when all of its files are complete, or not at all.
///
/// The folder is created under a hidden name beside its final path; `commit()` renames it. If it is
/// destroyed before that, it is removed with its files. Only an empty folder may exist at the final
/// path, unless files are replaced. Then each complete file replaces the existing file of the same
/// name, and other files stay.
public struct AtomicFolder: ~Copyable {
  /// The final path, as the caller gave it.
  public let path: String
  /// The final path with links resolved.
  private let target: String
  /// The path until the folder is complete; `nil` for an existing folder in which files are
  /// replaced.
  private let temporaryPath: String?
  private var names: [String] = []
  private var isCommitted = false

  /// Begins a folder that becomes `path`; its parent must exist.
  public init(path: String, replaces: Bool = false) throws(OutputRefusal) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    let target: String
    var isReplaced = false
    switch try OutputPlace(path) {
    case .file(let file, isThere: false): target = file
    case .folder(let folder):
      target = folder
      isReplaced = (try? Folder.names(in: folder))?.isEmpty != true
      if isReplaced, !replaces {
        throw OutputRefusal(
          "cannot write \(path): the folder is not empty",
          remedy: "name a folder that does not exist yet or is empty, or add --force to replace "
            + "files in it")
      }
    case .file, .stream, .standardOutput:
      throw OutputRefusal(
        "cannot write several files to \(path): it is not a folder",
        remedy: "name a folder that does not exist yet, or is empty")
    }
    let temporaryPath = isReplaced ? nil : Durability.hiddenName(beside: target)
    if let temporaryPath, unsafe mkdir(temporaryPath, 0o777) != 0 {
      throw OutputRefusal(SystemError("make \(path)"), writing: path)
    }
    self.path = path
    self.target = target
    self.temporaryPath = temporaryPath
  }

  deinit {
    guard !isCommitted, let temporaryPath else { return }
    for name in names { _ = unsafe unlink(temporaryPath + "/" + name) }
    _ = unsafe rmdir(temporaryPath)
  }

  /// Begins a file in the folder. Commit the file before the folder.
  public mutating func file(_ name: String) throws(OutputRefusal) -> OutputFile {
    guard let temporaryPath else {
      return try OutputFile(path: target + "/" + name, replaces: true)
    }
    names.append(name)
    return try OutputFile(path: temporaryPath + "/" + name)
  }

  /// Gives the folder its name. After the return, a power cut does not undo it.
  public consuming func commit() throws(OutputRefusal) {
    guard let temporaryPath else { return }
    // A folder can replace only an empty one.
    try OutputPlace.put(temporaryPath, at: target, replaces: true, name: path)
    isCommitted = true
  }
}
