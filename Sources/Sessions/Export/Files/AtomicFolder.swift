internal import Glibc
internal import LinuxSystem

/// A folder that appears under its name when all of its files are whole, or not at all.
///
/// It is made under a hidden name beside the place it will have; `commit()` renames it. Let go of
/// before that, it disappears with its files. Only an empty folder may be at its place, unless it
/// replaces files. Then each file, when it is whole, takes the place of the one of its name, and
/// others stay.
public struct AtomicFolder: ~Copyable {
  /// The name it will have.
  public let path: String
  /// The path it will have: that at the end of links.
  private let target: String
  /// Its path until it is whole; `nil` for one that is there, with files to be replaced.
  private let temporaryPath: String?
  private var names: [String] = []
  private var isCommitted = false

  /// Begins a folder that is to be `path`; the folder above it must exist.
  public init(path: String, replaces: Bool = false) throws(ExportError) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    let target: String
    var isReplaced = false
    do throws(OutputRefusal) {
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
    } catch {
      throw ExportError(error)
    }
    let temporaryPath = isReplaced ? nil : Durability.hiddenName(beside: target)
    if let temporaryPath, unsafe mkdir(temporaryPath, 0o777) != 0 {
      throw ExportError(OutputRefusal(SystemError("make \(path)"), writing: path))
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

  /// Begins a file in it, which has to be committed before the folder is.
  public mutating func file(_ name: String) throws(ExportError) -> OutputFile {
    guard let temporaryPath else {
      return try OutputFile(path: target + "/" + name, replaces: true)
    }
    names.append(name)
    return try OutputFile(path: temporaryPath + "/" + name)
  }

  /// Makes it the folder of its name. When this returns, a power cut does not undo it.
  public consuming func commit() throws(ExportError) {
    guard let temporaryPath else { return }
    do throws(OutputRefusal) {
      // A folder takes the place of an empty one only.
      try OutputPlace.put(temporaryPath, at: target, replaces: true, name: path)
    } catch {
      throw ExportError(error)
    }
    isCommitted = true
  }
}
