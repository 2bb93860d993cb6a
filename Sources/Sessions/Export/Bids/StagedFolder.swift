internal import Glibc
internal import LinuxSystem

/// A hidden folder for a dataset's files until they are complete. They are synced to the disk
/// together, because syncing hundreds of small files one by one takes seconds.
final class StagedFolder {
  /// The folder that becomes visible.
  let root: String
  private let hidden: TemporaryFolder
  /// The file system, opened before the first write, so that a sync reports the errors of all
  /// writes.
  private let whole: FileSystem?
  private var files: [String] = []
  private var folders: Set<String> = []

  /// Creates an empty folder within `parent`, under a hidden name that begins with `prefix`.
  init(in parent: String, prefix: String) throws(SystemError) {
    hidden = try TemporaryFolder(prefix: prefix, in: parent)
    root = hidden.path + "/dataset"
    try Folder.make(root)
    whole = FileSystem(syncedAsWholeAt: root)
  }

  /// Creates a file, and the folders that contain it. `path` is relative to the folder.
  func file(_ path: String) throws(OutputRefusal) -> StagedFile {
    let path = "\(root)/\(path)"
    return try OutputRefusal.writing(path) { () throws(SystemError) in
      try make(Folder.containing(path))
      let file = try DurableFile(path)
      files.append(path)
      return StagedFile(file: file)
    }
  }

  func write(_ path: String, _ body: (inout StagedFile) throws -> Void) throws {
    var file = try file(path)
    try body(&file)
    try file.close()
  }

  func put(_ text: String, at path: String) throws {
    try write(path) { file in try file.write(Array(text.utf8).span) }
  }

  /// Renames a closed file.
  func rename(_ path: String, to name: String) throws(OutputRefusal) {
    try OutputRefusal.writing(name) { () throws(SystemError) in
      try Durability.rename("\(root)/\(path)", to: "\(root)/\(name)")
    }
    files = files.map { $0 == "\(root)/\(path)" ? "\(root)/\(name)" : $0 }
  }

  /// The hidden folder that contains `root`. Its contents are removed with it.
  var hiddenPath: String { hidden.path }

  /// Keeps the hidden folder, so that the next export can restore its contents.
  func keep() { try? Durability.rename(hidden.path, to: hidden.path + "-kept") }

  /// Creates a folder whose parent must exist. Another process may create it at the same time.
  static func make(_ path: String) throws(SystemError) {
    guard unsafe mkdir(path, 0o777) == 0 || errno == EEXIST else {
      throw SystemError("create \(path)")
    }
  }

  static func removeIfEmpty(_ path: String) { _ = unsafe rmdir(path) }

  /// Syncs all files and folders to the disk. All files must be closed.
  func sync() throws(SystemError) {
    if let whole { return try whole.sync() }
    for file in files { try Durability.sync(file: file) }
    for folder in folders { try Durability.sync(folder: folder) }
  }

  private func make(_ folder: String) throws(SystemError) {
    guard folders.insert(folder).inserted else { return }
    try Folder.make(folder)
    var parent = folder
    while parent.utf8.count > root.utf8.count + 1 {
      parent = Folder.containing(String(parent.dropLast()))
      folders.insert(parent)
    }
  }
}

/// A file in a folder that is not visible yet.
struct StagedFile: ByteSink {
  fileprivate let file: DurableFile

  mutating func write(_ bytes: Span<UInt8>) throws(OutputRefusal) {
    try OutputRefusal.writing(file.path) { () throws(SystemError) in try file.write(bytes) }
  }

  /// Completes the file without syncing it.
  func close() throws(OutputRefusal) {
    try OutputRefusal.writing(file.path) { () throws(SystemError) in try file.rename() }
  }
}
