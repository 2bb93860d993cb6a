internal import Glibc

/// Folders in the file system.
public enum Folder {
  /// Makes a folder and those above it; one that is there already is fine.
  public static func make(_ path: String) throws(SystemError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += part + "/"
      // An existing part may be one we could not make, such as a read-only mount's.
      if unsafe mkdir(made, 0o777) != 0, unsafe access(made, F_OK) != 0 {
        throw SystemError("make the folder \(path)")
      }
    }
  }

  /// Fails unless a file can be made and written in the folder.
  public static func checkWritable(_ path: String) throws(SystemError) {
    let probe = path + "/.footbridge-probe"
    let file = try OwnedDescriptor.create(probe)
    defer { unsafe unlink(probe) }
    let written = file.write([0])
    guard written == 1 else { throw SystemError("write in \(path)", number: Int32(-written)) }
  }
}
