internal import Glibc

/// Creates and inspects folders and the files in them.
public enum Folder {
  /// Creates a folder, including any missing parent folders.
  ///
  /// - Parameter isPrivate: whether only this user can access the new folders.
  public static func make(_ path: String, isPrivate: Bool = false) throws(SystemError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += part + "/"
      // `mkdir` may fail for an existing parent that this process could not create, such as a
      // read-only mount.
      if unsafe mkdir(made, isPrivate ? 0o700 : 0o777) != 0, unsafe access(made, F_OK) != 0 {
        throw SystemError("create the folder \(path)")
      }
    }
  }

  /// Creates the folder that will contain the file at `path`.
  public static func make(forFile path: String, isPrivate: Bool = false) throws(SystemError) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    try make(String(path[..<slash]), isPrivate: isPrivate)
  }

  /// Returns a path's parent folder, including the final slash.
  public static func containing(_ path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "./"
  }

  public static func name(of path: String) -> String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
  }

  /// Removes a file. Returns whether it was removed. If not, `errno` contains the reason.
  public static func remove(file path: String) -> Bool {
    guard unsafe unlink(path) == 0 else { return false }
    _ = Computer.admit(path) { .remove($0) }
    return true
  }

  /// Returns the names of a folder's entries, in no particular order.
  public static func names(in path: String) throws(SystemError) -> [String] {
    guard let folder = unsafe opendir(path) else { throw SystemError("read \(path)") }
    defer { unsafe closedir(folder) }
    return try unsafe names(in: folder, at: path)
  }

  /// Reads an open folder. `path` is used only in the error message.
  static func names(
    in folder: OpaquePointer, at path: String
  ) throws(SystemError) -> [String] {
    var names: [String] = []
    while true {
      errno = 0
      // Safety: the stream reuses the entry on the next call, and the name is copied before that.
      guard let entry = unsafe readdir(folder) else {
        guard errno == 0 else { throw SystemError("read \(path)") }
        return names
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { name in
        unsafe String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }

  /// Returns whether anything exists at a path. Links are followed, so a dangling link does not
  /// count.
  public static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  public static func isLink(_ path: String) -> Bool { kind(of: path) == S_IFLNK }

  static func isSocket(_ path: String) -> Bool { kind(of: path) == S_IFSOCK }

  /// Returns the type of the file at a path, without following a link. Returns `nil` if the file
  /// does not exist.
  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// Returns a path's absolute form, without redundant slashes. The path need not exist.
  public static func absolute(_ path: String) -> String {
    var parts: [Substring] = []
    if !path.hasPrefix("/") {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      if unsafe getcwd(&buffer, buffer.count) != nil {
        let end = buffer.firstIndex(of: 0) ?? buffer.endIndex
        let here = String(decoding: buffer[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        parts = here.split(separator: "/")
      }
    }
    // The folder before a '..' may be a link to another place, so '..' cannot be removed.
    parts += path.split(separator: "/").filter { $0 != "." }
    return "/" + parts.joined(separator: "/")
  }

  /// Throws unless a file can be created and written in the folder.
  public static func checkWritable(_ path: String) throws(SystemError) {
    let probe = path + "/.footbridge-probe"
    let file: OwnedDescriptor
    do throws(SystemError) {
      file = try OwnedDescriptor.create(probe)
    } catch {
      // The error names the folder, because the user does not know about this test file.
      throw SystemError("write to \(path)", number: error.number)
    }
    defer { unsafe unlink(probe) }
    let written = file.write([0])
    guard written == 1 else { throw SystemError("write to \(path)", number: Int32(-written)) }
  }
}
