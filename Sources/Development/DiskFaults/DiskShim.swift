internal import CSQLite
internal import Glibc
internal import LinuxSystem

/// A SQLite VFS layer for the files of simulated disks. Calls for all other files pass directly to
/// SQLite's default VFS, at no cost.
///
/// Creating the first disk makes this VFS the process's default, so code that opens a database does
/// not need to name it.
// Safety: the function tables and their VFS objects are created once and live as long as the
// process. SQLite calls each file's functions from one thread at a time, with a pointer to
// `szOsFile` bytes of memory. This memory starts with a `Header`, followed by the data of the VFS
// below.
enum DiskShim {
  private struct DiskReference: Sendable {
    weak var disk: SimulatedDisk?
  }

  private static let folders = Guarded<[String: DiskReference]>([:])

  static func attach(_ disk: SimulatedDisk) {
    _ = isInstalled
    let reference = DiskReference(disk: disk)
    let path = disk.path
    folders.withLock { $0[path] = reference }
  }

  static func detach(folder: String) {
    folders.withLock { $0[folder] = nil }
  }

  /// Returns the simulated disk that contains a file, and the file's name on it; `nil` if no
  /// simulated disk contains the file.
  private static func place(of path: UnsafePointer<CChar>) -> (disk: SimulatedDisk, name: String)? {
    let text = unsafe String(cString: path)
    guard let slash = text.lastIndex(of: "/") else { return nil }
    let folder = String(text[..<slash])
    guard let disk = folders.withLock({ $0[folder]?.disk }) else { return nil }
    return (disk, String(text[text.index(after: slash)...]))
  }

  // MARK: The layer

  private static nonisolated(unsafe) let below: UnsafeMutablePointer<sqlite3_vfs> = {
    guard let usual = unsafe sqlite3_vfs_find(nil) else {
      preconditionFailure("SQLite has a default VFS")
    }
    return unsafe usual
  }()

  private static let isInstalled: Bool = {
    let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    unsafe layer.initialize(to: below.pointee)
    unsafe layer.pointee.pNext = nil
    unsafe layer.pointee.zName = UnsafePointer(strdup("footbridge-disks"))
    unsafe layer.pointee.szOsFile += Int32(Header.size)
    unsafe layer.pointee.xOpen = { unsafe DiskShim.open($1, $2, $3, $4) }
    unsafe layer.pointee.xDelete = { unsafe DiskShim.remove($1, $2) }
    return unsafe sqlite3_vfs_register(layer, 1) == SQLITE_OK
  }()

  private static func open(
    _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let file = unsafe file, let path = unsafe path, let (disk, name) = unsafe place(of: path)
    else { return unsafe below.pointee.xOpen(below, path, file, flags, outFlags) }
    unsafe file.pointee.pMethods = nil
    let isNew = unsafe flags & SQLITE_OPEN_CREATE != 0 && access(path, F_OK) != 0
    if isNew, let fault = disk.admit(.create(name)) {
      return refuse(fault, SQLITE_CANTOPEN)
    }
    let code = unsafe below.pointee.xOpen(below, path, lower(file), flags, outFlags)
    guard code == SQLITE_OK else { return code }
    // As in SQLite's own VFS, the first sync of a journal also syncs its directory entry.
    let journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL
    let owesFolderSync = flags & SQLITE_OPEN_CREATE != 0 && flags & journals != 0
    let opened = OpenFile(disk, name, owesFolderSync: owesFolderSync)
    unsafe header(file).pointee.opened = Unmanaged.passRetained(opened)
    unsafe file.pointee.pMethods = UnsafePointer(methods)
    return SQLITE_OK
  }

  private static func remove(_ path: UnsafePointer<CChar>?, _ syncsFolder: Int32) -> Int32 {
    guard let path = unsafe path, let (disk, name) = unsafe place(of: path) else {
      return unsafe below.pointee.xDelete(below, path, syncsFolder)
    }
    let code = unsafe below.pointee.xDelete(below, path, 0)
    guard code == SQLITE_OK else { return code }
    _ = disk.admit(.remove(name))
    if syncsFolder != 0 { _ = disk.admit(.syncFolder) }
    return SQLITE_OK
  }

  /// Sets errno and returns the SQLite result code, as the operating system's VFS does. SQLite
  /// reads errno to detect a full disk.
  private static func refuse(_ fault: SimulatedDisk.Fault, _ code: Int32) -> Int32 {
    errno = fault.errorNumber
    return code
  }

  // MARK: A file

  /// The data that this VFS stores for an open file.
  private final class OpenFile {
    let disk: SimulatedDisk
    let name: String
    var owesFolderSync: Bool

    init(_ disk: SimulatedDisk, _ name: String, owesFolderSync: Bool) {
      self.disk = disk
      self.name = name
      self.owesFolderSync = owesFolderSync
    }
  }

  @unsafe private struct Header {
    var base: sqlite3_file
    var opened: Unmanaged<OpenFile>

    /// The header size, rounded up so that the bytes after the header are aligned for any type.
    static let size = unsafe (MemoryLayout<Header>.size + 15) / 16 * 16
  }

  private typealias File = UnsafeMutablePointer<sqlite3_file>

  private static func header(_ file: File) -> UnsafeMutablePointer<Header> {
    unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: Header.self)
  }

  private static func opened(_ file: File) -> OpenFile {
    unsafe header(file).pointee.opened.takeUnretainedValue()
  }

  /// Returns the file object of the VFS below.
  private static func lower(_ file: File) -> File {
    unsafe (UnsafeMutableRawPointer(file) + Header.size).assumingMemoryBound(to: sqlite3_file.self)
  }

  private static func lowerMethods(_ file: File) -> sqlite3_io_methods {
    unsafe lower(file).pointee.pMethods.pointee
  }

  private static func close(_ file: File) -> Int32 {
    let code = unsafe lowerMethods(file).xClose(lower(file))
    unsafe header(file).pointee.opened.release()
    return code
  }

  private static func write(
    _ file: File, _ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: Int64
  ) -> Int32 {
    let opened = unsafe opened(file)
    let content = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    guard let fault = opened.disk.admit(.write(opened.name, at: Int(offset), content)) else {
      return unsafe lowerMethods(file).xWrite(lower(file), bytes, count, offset)
    }
    let part = Int32(FileOperation.partOfFailedWrite(Int(count)))
    if part > 0 { _ = unsafe lowerMethods(file).xWrite(lower(file), bytes, part, offset) }
    return refuse(fault, fault == .full ? SQLITE_FULL : Int32(csqlite_ioerr_write))
  }

  private static func truncate(_ file: File, _ length: Int64) -> Int32 {
    let opened = unsafe opened(file)
    if let fault = opened.disk.admit(.truncate(opened.name, length: Int(length))) {
      return refuse(fault, Int32(csqlite_ioerr_truncate))
    }
    return unsafe lowerMethods(file).xTruncate(lower(file), length)
  }

  private static func sync(_ file: File) -> Int32 {
    let opened = unsafe opened(file)
    if let fault = opened.disk.admit(.sync(opened.name)) {
      return refuse(fault, Int32(csqlite_ioerr_fsync))
    }
    if opened.owesFolderSync { _ = opened.disk.admit(.syncFolder) }
    opened.owesFolderSync = false
    return SQLITE_OK
  }

  /// Version 2 of the function table does not support memory mapping, which would bypass this VFS.
  private static nonisolated(unsafe) let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    var table = sqlite3_io_methods()
    table.iVersion = 2
    unsafe table.xClose = { file in unsafe DiskShim.close(file.unsafelyUnwrapped) }
    unsafe table.xRead = { file, bytes, count, offset in
      let file = unsafe file.unsafelyUnwrapped
      return unsafe lowerMethods(file).xRead(lower(file), bytes, count, offset)
    }
    unsafe table.xWrite = { file, bytes, count, offset in
      unsafe DiskShim.write(file.unsafelyUnwrapped, bytes, count, offset)
    }
    unsafe table.xTruncate = { file, length in
      unsafe DiskShim.truncate(file.unsafelyUnwrapped, length)
    }
    unsafe table.xSync = { file, _ in unsafe DiskShim.sync(file.unsafelyUnwrapped) }
    unsafe table.xFileSize = { file, size in
      let file = unsafe file.unsafelyUnwrapped
      return unsafe lowerMethods(file).xFileSize(lower(file), size)
    }
    unsafe table.xLock = { file, level in
      let file = unsafe file.unsafelyUnwrapped
      return unsafe lowerMethods(file).xLock(lower(file), level)
    }
    unsafe table.xUnlock = { file, level in
      let file = unsafe file.unsafelyUnwrapped
      return unsafe lowerMethods(file).xUnlock(lower(file), level)
    }
    unsafe table.xCheckReservedLock = { file, outcome in
      let file = unsafe file.unsafelyUnwrapped
      return unsafe lowerMethods(file).xCheckReservedLock(lower(file), outcome)
    }
    unsafe table.xFileControl = { file, request, argument in
      let file = unsafe file.unsafelyUnwrapped
      return unsafe lowerMethods(file).xFileControl(lower(file), request, argument)
    }
    unsafe table.xSectorSize = { file in
      let file = unsafe file.unsafelyUnwrapped
      return unsafe lowerMethods(file).xSectorSize(lower(file))
    }
    unsafe table.xDeviceCharacteristics = { file in
      let file = unsafe file.unsafelyUnwrapped
      return unsafe lowerMethods(file).xDeviceCharacteristics(lower(file))
    }
    unsafe table.xShmMap = { file, region, size, extends, memory in
      let file = unsafe file.unsafelyUnwrapped
      return unsafe lowerMethods(file).xShmMap(lower(file), region, size, extends, memory)
    }
    unsafe table.xShmLock = { file, offset, count, flags in
      let file = unsafe file.unsafelyUnwrapped
      return unsafe lowerMethods(file).xShmLock(lower(file), offset, count, flags)
    }
    unsafe table.xShmBarrier = { file in
      let file = unsafe file.unsafelyUnwrapped
      unsafe lowerMethods(file).xShmBarrier(lower(file))
    }
    unsafe table.xShmUnmap = { file, deletes in
      let file = unsafe file.unsafelyUnwrapped
      return unsafe lowerMethods(file).xShmUnmap(lower(file), deletes)
    }
    unsafe methods.initialize(to: table)
    return unsafe methods
  }()
}
