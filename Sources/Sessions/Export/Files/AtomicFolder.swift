internal import Glibc
public import LinuxSystem

/// A folder that appears under its name when all of its files are complete, or not at all.
///
/// The folder is made under a hidden name beside its final place; `commit()` renames it. If it is
/// destroyed before that, it is removed with its files. Only an empty folder may be at its place,
/// unless it replaces files. Then each complete file replaces the existing file of its name, and
/// other files stay.
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

  /// Begins a folder that becomes `path`; the folder above it must exist.
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
          "cannot write \(path): there are files in this folder",
          remedy: "name a folder that does not exist yet or is empty, or add --force to replace "
            + "files in it")
      }
    case .file, .stream, .standardOutput:
      throw OutputRefusal(
        "cannot write several files to \(path): it is no folder",
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

  /// Begins a file in the folder. The file has to be committed before the folder.
  public mutating func file(_ name: String) throws(OutputRefusal) -> OutputFile {
    guard let temporaryPath else {
      return try OutputFile(path: target + "/" + name, replaces: true)
    }
    names.append(name)
    return try OutputFile(path: temporaryPath + "/" + name)
  }

  /// Gives the folder its name. When this returns, a power cut does not undo it.
  public consuming func commit() throws(OutputRefusal) {
    guard let temporaryPath else { return }
    // A folder can replace only an empty one.
    try OutputPlace.put(temporaryPath, at: target, replaces: true, name: path)
    isCommitted = true
  }
}
