internal import Glibc
internal import LinuxSystem

/// Files of the archive, as the system sees them.
enum ArchiveFile {
  /// All bytes of a file; `nil` if there is none.
  static func read(_ path: String) throws(ArchiveError) -> [UInt8]? {
    let file: OwnedDescriptor
    do throws(SystemError) {
      file = try OwnedDescriptor.open(path, flags: O_RDONLY)
    } catch {
      if error.number == ENOENT || error.number == ENOTDIR { return nil }
      throw ArchiveError(error)
    }
    return try readAll(file, path)
  }

  private static func readAll(
    _ file: borrowing OwnedDescriptor, _ path: String
  ) throws(ArchiveError) -> [UInt8] {
    var status = stat()
    guard unsafe fstat(file.number, &status) == 0 else { throw failure("read \(path)") }
    var bytes: [UInt8] = []
    // One more than there should be, so that the end shows without another call.
    var piece = [UInt8](repeating: 0, count: max(4_096, Int(status.st_size) + 1))
    while true {
      let count = file.read(into: &piece)
      if count == -Int(EINTR) { continue }
      guard count >= 0 else {
        throw ArchiveError(SystemError("read \(path)", number: Int32(-count)))
      }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
    }
  }

  /// Whether there is a file of this name.
  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// The names in a folder, in no order, of files that are shown or that are `hidden`; none if
  /// there is no folder.
  static func names(
    in folder: String, hidden isHidden: Bool = false
  ) throws(ArchiveError) -> [String] {
    guard let directory = unsafe opendir(folder) else {
      if errno == ENOENT { return [] }
      throw failure("read \(folder)")
    }
    defer { _ = unsafe closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      // Safety: the entry is the stream's until the next call, and its name is copied before that.
      guard let entry = unsafe readdir(directory) else {
        guard errno == 0 else { throw failure("read \(folder)") }
        return names
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { name in
        unsafe String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix(".") == isHidden { names.append(name) }
    }
  }

  /// Makes a folder with these rights: whether it was not there.
  static func makeFolder(_ path: String, _ rights: ArchiveRights) throws(ArchiveError) -> Bool {
    if unsafe mkdir(path, 0o700) == 0 {
      // Some media have no rights, and a service may be forbidden to hand on the bit for the group.
      if unsafe chmod(path, rights.ofFolders) != 0 {
        unsafe chmod(path, rights.ofFolders & 0o777)
      }
      return true
    }
    guard errno == EEXIST else { throw failure("make the folder \(path)") }
    return false
  }

  /// Has the system bring names in a folder to the disk.
  static func syncFolder(_ path: String) throws(ArchiveError) {
    do throws(SystemError) {
      let folder = try OwnedDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY)
      // Some network and user-space file systems have nothing to sync in a folder, and say so like
      // this.
      guard fsync(folder.number) == 0 || errno == EINVAL || errno == ENOTSUP else {
        throw SystemError("sync \(path)")
      }
    } catch {
      throw ArchiveError(error)
    }
  }

  /// Has the system bring a file to the disk.
  static func sync(_ path: String) throws(ArchiveError) {
    do throws(SystemError) {
      let file = try OwnedDescriptor.open(path, flags: O_RDONLY)
      guard fsync(file.number) == 0 else { throw SystemError("sync \(path)") }
    } catch {
      throw ArchiveError(error)
    }
  }

  /// Has the system bring everything to the disk that belongs to a file system.
  static func sync(_ whole: FileSystem) throws(ArchiveError) {
    do throws(SystemError) {
      try whole.sync()
    } catch {
      throw ArchiveError(error)
    }
  }

  /// The `errno` of the call before, with what was tried.
  static func failure(_ operation: String) -> ArchiveError { ArchiveError(SystemError(operation)) }
}

/// The rights of the files and folders made in a folder: the same as the folder's own, with which
/// its maker chose who may use them.
struct ArchiveRights {
  let ofFolders: mode_t
  var ofFiles: mode_t { ofFolders & 0o666 }

  /// The rights of the folder at `path`; its owner's alone where they cannot be told.
  init(of path: String) {
    var status = stat()
    // With the set-group-ID bit, which gives the files in a folder its group.
    ofFolders = unsafe stat(path, &status) == 0 ? status.st_mode & 0o2777 : 0o700
  }
}

/// A file that is written under another name, and has its own when it is on the disk and was read
/// back.
final class PendingFile {
  let path: String
  private let temporaryPath: String
  private let bytes: [UInt8]
  private let descriptor: OwnedDescriptor
  private var isPlaced = false

  /// Writes the bytes into a file with these rights; the folder must exist.
  init(_ path: String, _ bytes: [UInt8], _ rights: ArchiveRights) throws(ArchiveError) {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    let number = UInt64.random(in: .min ... .max)
    let temporaryPath =
      path[...slash] + "." + path[path.index(after: slash)...] + "-" + String(number, radix: 16)
      + ArchiveLayout.partEnding
    descriptor = try Self.create(String(temporaryPath))
    self.path = path
    self.temporaryPath = String(temporaryPath)
    self.bytes = bytes
    fchmod(descriptor.number, rights.ofFiles)
    try write()
  }

  deinit {
    if !isPlaced { _ = unsafe unlink(temporaryPath) }
  }

  private static func create(_ path: String) throws(ArchiveError) -> OwnedDescriptor {
    do throws(SystemError) {
      return try OwnedDescriptor.open(path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    } catch {
      throw ArchiveError(error)
    }
  }

  private func write() throws(ArchiveError) {
    let bytes = bytes
    var done = 0
    while done < bytes.count {
      let count = descriptor.write(bytes.span.extracting(done...))
      if count == -Int(EINTR) { continue }
      guard count > 0 else {
        throw ArchiveError(SystemError("write \(path)", number: Int32(-count)))
      }
      done += count
    }
  }

  /// Brings it to the disk.
  func sync() throws(ArchiveError) {
    guard fsync(descriptor.number) == 0 else { throw ArchiveFile.failure("sync \(path)") }
  }

  /// Reads it back from the disk, to which it was brought.
  func readBack() throws(ArchiveError) {
    // The bytes just written would be read from memory. Without these pages the kernel reads them
    // from the medium.
    _ = posix_fadvise(descriptor.number, 0, 0, Int32(POSIX_FADV_DONTNEED))
    guard try ArchiveFile.read(temporaryPath) == bytes else {
      throw ArchiveError(
        .damaged, "cannot write \(path): it reads back differently",
        remedy: "use another disk; this one does not keep what is written on it")
    }
  }

  /// Gives it its name, in place of a file that has it. The name is on the disk when the folder was
  /// synced.
  func place() throws(ArchiveError) {
    guard unsafe rename(temporaryPath, path) == 0 else {
      throw ArchiveFile.failure("write \(path)")
    }
    isPlaced = true
  }
}
