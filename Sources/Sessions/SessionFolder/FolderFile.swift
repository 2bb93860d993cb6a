internal import Glibc
internal import LinuxSystem
internal import Recording

/// Reads and writes the files in a session folder through the operating system.
enum FolderFile {
  /// Maximum size in bytes of a file to read. No upload server accepts a larger uncompressed
  /// record.
  private static let longest = 3 << 24

  /// Reads a file; `nil` if it does not exist. Another program may have created anything at this
  /// path, such as a pipe. The call does not wait for the pipe's writer. Throws an error if the
  /// file is too large, or if the enclosing folder is a file.
  static func read(_ path: String) throws(StoreError) -> [UInt8]? {
    let bytes = try explained { () throws(SystemError) in
      try WholeFile.read(path, upTo: longest, waits: false)
    }
    guard bytes.map({ $0.count > longest }) ?? isBelowFile(path) else { return bytes }
    let fault = bytes == nil ? "a file exists where its folder should be" : "it is too large"
    throw StoreError(
      .damaged, "cannot read \(path): \(fault)", remedy: "move this file away")
  }

  private static func isBelowFile(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) != 0 && errno == ENOTDIR
  }

  /// Returns the names of the visible files in a folder, or of the hidden files if `hidden` is
  /// true, in no particular order. The list is empty if the folder does not exist, or if another
  /// program created a file at its path.
  static func names(
    in folder: String, hidden isHidden: Bool = false
  ) throws(StoreError) -> [String] {
    do throws(SystemError) {
      return try Folder.names(in: folder).filter { $0.hasPrefix(".") == isHidden }
    } catch {
      guard [ENOENT, ENOTDIR].contains(error.number) else { throw StoreError(ofFolder: error) }
      return []
    }
  }

  /// Creates a folder with these permissions. Returns whether the folder is new.
  static func makeFolder(_ path: String, _ rights: FolderRights) throws(StoreError) -> Bool {
    if unsafe mkdir(path, 0o700) == 0 {
      // Some media do not support permissions, and a service may lack the right to set the
      // set-group-ID bit.
      if unsafe chmod(path, rights.ofFolders) != 0 {
        unsafe chmod(path, rights.ofFolders & 0o777)
      }
      return true
    }
    guard errno == EEXIST else {
      throw StoreError(ofFolder: SystemError("create the folder \(path)"))
    }
    return false
  }

  /// Writes bytes to a temporary file with these permissions. The caller renames the file to its
  /// final name once it is on disk and has been read back.
  static func write(
    _ bytes: [UInt8], to path: String, _ rights: FolderRights
  ) throws(StoreError) -> DurableFile {
    try explained { () throws(SystemError) in
      let file = try DurableFile(path, rights: 0o600)
      file.setRights(rights.ofFiles)
      try file.write(bytes.span)
      return file
    }
  }

  /// Throws an error unless the synced file contains these bytes on disk.
  static func readBack(_ file: DurableFile, _ bytes: [UInt8]) throws(StoreError) {
    guard try explained({ () throws(SystemError) in try file.readBack() }) == bytes else {
      throw StoreError(
        .damaged, "cannot write \(file.path): it reads back differently",
        remedy: "use another disk; this one does not store data reliably")
    }
  }

  /// Calls a function, and rethrows an operating-system error as a `StoreError`.
  static func explained<Outcome: ~Copyable>(
    _ body: () throws(SystemError) -> Outcome
  ) throws(StoreError) -> Outcome {
    do { return try body() } catch { throw StoreError(ofFolder: error) }
  }
}

/// The permissions of new files and folders. They are copied from the enclosing folder, whose
/// creator decided who has access.
struct FolderRights {
  let ofFolders: mode_t
  var ofFiles: mode_t { ofFolders & 0o666 }

  /// Reads the permissions of the folder at `path`. If they cannot be read, only the owner has
  /// access.
  init(of path: String) {
    var status = stat()
    // Includes the set-group-ID bit, which makes new files inherit the folder's group.
    ofFolders = unsafe stat(path, &status) == 0 ? status.st_mode & 0o2777 : 0o700
  }
}

/// Metadata that changes whenever a file is overwritten or replaced.
struct FileStamp: Hashable {
  private let values: [Int64]

  /// Reads the stamp of a file; `nil` if it does not exist.
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    values = [
      Int64(status.st_size), Int64(bitPattern: UInt64(status.st_ino)),
      Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
    ]
  }

  /// Reads the stamp of a folder; `nil` if it does not exist, or if it changed in the last two
  /// seconds. A further change might not alter the timestamp, since some media store timestamps in
  /// whole seconds.
  init?(settled path: String) {
    self.init(of: path)
    guard values[2] < Int64(time(nil)) - 2 else { return nil }
  }
}
