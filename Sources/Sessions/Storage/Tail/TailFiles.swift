internal import Glibc
internal import LinuxSystem
internal import Recording

/// Finds and removes the tail files next to a store: `<store>-tail-1`, `<store>-tail-2` …
enum TailFiles {
  static func path(store: String, number: UInt64) -> String {
    "\(store)-tail-\(number)"
  }

  /// Returns the existing tail files, in the order in which they were written.
  static func existing(store: String) -> [(number: UInt64, path: String)] {
    let name = Folder.name(of: store)
    let names = (try? Folder.names(in: Folder.containing(store))) ?? []
    let numbers = names.compactMap { other in
      other.hasPrefix(name + "-tail-") ? UInt64(other.dropFirst(name.count + 6)) : nil
    }
    return numbers.sorted().map { ($0, path(store: store, number: $0)) }
      .filter { StoreFile.isRegular($0.1) }
  }

  /// Removes a file that its recorder no longer needs. If the file cannot be removed, the next
  /// recovery skips the records in it.
  static func remove(_ path: String) {
    _ = Folder.remove(file: path)
  }

  /// Removes a file whose contents are now in the store.
  static func removeTaken(_ path: String) throws(StoreError) {
    guard !Folder.remove(file: path), errno != ENOENT else { return }
    throw StoreError(
      .cannotOpen, "\(SystemError("remove \(path)"))",
      remedy: "its data is in the store now: delete the file, or allow this user to delete it")
  }

  /// Renames an unreadable file, so that it is not mistaken for a tail. Returns the new name, or
  /// `nil` if the file no longer exists.
  static func keepAside(_ path: String) throws(StoreError) -> String? {
    var name = path + "-unread"
    var number = 2
    // The caller holds the store's lock, so no other program can use the name in the meantime.
    while Folder.exists(name) {
      name = path + "-unread-\(number)"
      number += 1
    }
    do throws(SystemError) {
      try Durability.rename(path, to: name)
    } catch {
      guard error.number == ENOENT else { throw .system("rename", path) }
      return nil
    }
    return name
  }

  /// Reads a file; `nil` if it no longer exists.
  static func readIfThere(_ path: String) throws(StoreError) -> [UInt8]? {
    try StoreError.explained("read", path) { () throws(SystemError) in try WholeFile.read(path) }
  }
}
