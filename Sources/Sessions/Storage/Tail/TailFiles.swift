internal import Glibc

/// The files of the tail, which lie beside the store: `<store>-tail-1`, `<store>-tail-2` …
enum TailFiles {
  static func path(store: String, number: UInt64) -> String {
    "\(store)-tail-\(number)"
  }

  /// Those that are there, in the order in which they were written.
  static func existing(store: String) -> [(number: UInt64, path: String)] {
    let slash = store.lastIndex(of: "/")
    let folder = slash.map { String(store[...$0]) } ?? "."
    let name = slash.map { String(store[store.index(after: $0)...]) } ?? store
    let prefix = name + "-tail-"
    // Safety: the entry that `readdir` returns is read before the next call and before `closedir`;
    // no other code has the handle.
    guard let handle = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(handle) }
    var found: [(number: UInt64, path: String)] = []
    while let entry = unsafe readdir(handle) {
      let entryName = unsafe withUnsafePointer(to: &entry.pointee.d_name) { bytes in
        unsafe bytes.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      guard entryName.hasPrefix(prefix), let number = UInt64(entryName.dropFirst(prefix.count))
      else { continue }
      let path = path(store: store, number: number)
      if StoreFile.isRegular(path) { found.append((number, path)) }
    }
    return found.sorted { $0.number < $1.number }
  }

  /// Removes one that its own recorder does not need any more. Should that fail, the next recovery
  /// passes over its records.
  static func remove(_ path: String) {
    unsafe unlink(path)
  }

  /// Removes one whose content is in the store.
  static func removeTaken(_ path: String) throws(StoreError) {
    guard unsafe unlink(path) != 0, errno != ENOENT else { return }
    let reason = unsafe String(cString: strerror(errno))
    throw StoreError(
      .cannotOpen, "cannot remove \(path): \(reason)",
      remedy: "its contents are in the store now: remove it by hand, or let this user do it")
  }

  /// Gives one that cannot be read another name, under which it is not taken for a tail, and which
  /// no other file has: that name, or `nil` if the file is gone.
  static func keepAside(_ path: String) throws(StoreError) -> String? {
    var name = path + "-unread"
    var number = 2
    // Whoever keeps one has the store's lock, so no other file takes the name meanwhile.
    while StoreFile.isThere(name) {
      name = path + "-unread-\(number)"
      number += 1
    }
    guard unsafe rename(path, name) != 0 else { return name }
    guard errno == ENOENT else { throw .system("rename", path) }
    return nil
  }

  /// Brings the names of files in the store's folder to the disk: a new file is found again after a
  /// power cut only when its folder was written too.
  static func syncFolder(of store: String) throws(StoreError) {
    let folder = store.lastIndex(of: "/").map { String(store[...$0]) } ?? "."
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("open", folder) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system("write to", folder) }
  }

  /// All bytes of a file; `nil` if it is gone.
  static func readIfThere(_ path: String) throws(StoreError) -> [UInt8]? {
    guard unsafe access(path, F_OK) == 0 else { return nil }
    do throws(StoreError) {
      return try read(path)
    } catch {
      guard unsafe access(path, F_OK) == 0 else { return nil }
      throw error
    }
  }

  /// All bytes of a file.
  static func read(_ path: String) throws(StoreError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("open", path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe block.withUnsafeMutableBytes { block in
        unsafe Glibc.read(descriptor, block.baseAddress, block.count)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw .system("read", path)
      }
      if count == 0 { return bytes }
      bytes += block[..<count]
    }
  }
}
