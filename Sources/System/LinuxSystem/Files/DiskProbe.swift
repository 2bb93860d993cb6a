internal import Glibc
internal import Values

/// Measures how long a disk takes to sync a small file in one of its folders.
public enum DiskProbe {
  /// Appends 4 kB to a new hidden file and syncs it, `count` times. Returns the duration of each
  /// sync in seconds. Stops early after `limit` seconds. The file is removed at the end.
  public static func syncs(
    _ count: Int, in folder: String, limit: Double
  ) throws(SystemError) -> [Double] {
    let path = Durability.hiddenName(beside: folder + "/sync")
    let file: OwnedDescriptor
    do throws(SystemError) {
      file = try OwnedDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    } catch {
      // The error names the folder, because the user does not know about this test file.
      throw SystemError("write to \(folder)", number: error.number)
    }
    // The file keeps its name during the syncs, because some file systems may not sync a file that
    // has no name.
    defer { _ = Folder.remove(file: path) }
    let page = [UInt8](repeating: 0xfb, count: 4_096)
    var seconds: [Double] = []
    while seconds.count < count, seconds.reduce(0, +) < limit {
      let began = BootClock.now()
      let written = file.write(page)
      guard written == page.count else {
        throw SystemError("write to \(folder)", number: written < 0 ? Int32(-written) : ENOSPC)
      }
      guard fdatasync(file.number) == 0 else { throw SystemError("sync a file in \(folder)") }
      seconds.append(BootClock.now().seconds(since: began))
    }
    return seconds
  }
}
