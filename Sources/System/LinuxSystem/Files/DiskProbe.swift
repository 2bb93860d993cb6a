internal import Glibc
internal import Values

/// Measures a disk by a small file in one of its folders.
public enum DiskProbe {
  /// Seconds of each of `count` syncs of 4 kB, appended to a new hidden file that is removed at the
  /// end. There are fewer if together they take longer than `limit` seconds.
  public static func syncs(
    _ count: Int, in folder: String, limit: Double
  ) throws(SystemError) -> [Double] {
    let path = Durability.hiddenName(beside: folder + "/sync")
    let file: OwnedDescriptor
    do throws(SystemError) {
      file = try OwnedDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    } catch {
      // The error names the folder, since the file is only a test.
      throw SystemError("write in \(folder)", number: error.number)
    }
    // Not removed before the syncs: some file systems need not sync a file without a name.
    defer { _ = Folder.remove(file: path) }
    let page = [UInt8](repeating: 0xfb, count: 4_096)
    var seconds: [Double] = []
    while seconds.count < count, seconds.reduce(0, +) < limit {
      let began = BootClock.now()
      let written = file.write(page)
      guard written == page.count else {
        throw SystemError("write in \(folder)", number: written < 0 ? Int32(-written) : ENOSPC)
      }
      guard fdatasync(file.number) == 0 else { throw SystemError("sync a file in \(folder)") }
      seconds.append(BootClock.now().seconds(since: began))
    }
    return seconds
  }
}
