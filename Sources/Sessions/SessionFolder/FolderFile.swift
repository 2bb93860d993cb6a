internal import Glibc
internal import LinuxSystem
internal import Recording

/// Files in the folder, read and written through the operating system.
enum FolderFile {
  /// Bytes of the longest file that is read: no upload server accepts a longer unpacked record.
  private static let longest = 3 << 24

  /// All bytes of a file; `nil` if there is none. Another program's file may be endless, may be a
  /// pipe without a writer, or may take the place of a folder.
  static func read(_ path: String) throws(StoreError) -> [UInt8]? {
    let bytes = try explained { () throws(SystemError) in
      try WholeFile.read(path, upTo: longest, waits: false)
    }
    guard bytes.map({ $0.count > longest }) ?? isBelowFile(path) else { return bytes }
    let fault = bytes == nil ? "a file takes the place of its folder" : "it is too large"
    throw StoreError(
      .damaged, "cannot read \(path): \(fault)", remedy: "move that file away")
  }

  private static func isBelowFile(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) != 0 && errno == ENOTDIR
  }

  /// The names of the visible or of the `hidden` files in a folder, in no order; empty if there is
  /// no folder. A file in its place was made by another program.
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

  /// Makes a folder with these rights. Returns whether it did not exist.
  static func makeFolder(_ path: String, _ rights: FolderRights) throws(StoreError) -> Bool {
    if unsafe mkdir(path, 0o700) == 0 {
      // Some media have no rights, and a service may be forbidden to set the set-group-ID bit.
      if unsafe chmod(path, rights.ofFolders) != 0 {
        unsafe chmod(path, rights.ofFolders & 0o777)
      }
      return true
    }
    guard errno == EEXIST else {
      throw StoreError(ofFolder: SystemError("make the folder \(path)"))
    }
    return false
  }

  /// Writes bytes into a file with these rights. The file gets its name later, once it is on the
  /// disk and has been read back.
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

  /// Throws unless these bytes of the synced file are on the disk.
  static func readBack(_ file: DurableFile, _ bytes: [UInt8]) throws(StoreError) {
    guard try explained({ () throws(SystemError) in try file.readBack() }) == bytes else {
      throw StoreError(
        .damaged, "cannot write \(file.path): it reads back differently",
        remedy: "use another disk; this one does not store data reliably")
    }
  }

  /// Turns an error of the operating system into an error of the folder.
  static func explained<Outcome: ~Copyable>(
    _ body: () throws(SystemError) -> Outcome
  ) throws(StoreError) -> Outcome {
    do { return try body() } catch { throw StoreError(ofFolder: error) }
  }
}

/// The rights of files and folders made in a folder: those of the folder itself, with which its
/// creator chose the permitted users.
struct FolderRights {
  let ofFolders: mode_t
  var ofFiles: mode_t { ofFolders & 0o666 }

  /// The rights of the folder at `path`; only the owner's where they cannot be read.
  init(of path: String) {
    var status = stat()
    // Includes the set-group-ID bit, which gives the files in a folder its group.
    ofFolders = unsafe stat(path, &status) == 0 ? status.st_mode & 0o2777 : 0o700
  }
}

/// The metadata that change when a file is written again, in place or replaced.
struct FileStamp: Hashable {
  private let values: [Int64]

  /// `nil` if there is no file.
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    values = [
      Int64(status.st_size), Int64(bitPattern: UInt64(status.st_ino)),
      Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
    ]
  }

  /// The stamp of a folder; `nil` if there is none, or if it changed in the last two seconds.
  /// Another change might then have the same time: some media store whole seconds.
  init?(settled path: String) {
    self.init(of: path)
    guard values[2] < Int64(time(nil)) - 2 else { return nil }
  }
}
