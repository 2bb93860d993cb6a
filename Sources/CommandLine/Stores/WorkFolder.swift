internal import LinuxSystem
internal import Terminal

/// Where a command puts its files: a folder the user named, or a temporary one.
struct WorkFolder: Sendable {
  let path: String
  /// Removes the folder at the end, unless the user wants it.
  private let temporary: TemporaryFolder?

  /// Makes the folder if it is not there and sees that files can be made in it.
  ///
  /// The remedy is for a folder that cannot be used. One that `isPrivate` is for this user alone if
  /// it is made.
  init(keeping folder: String?, isPrivate: Bool = false, remedy: String) throws(Complaint) {
    do throws(SystemError) {
      if let folder {
        try Folder.make(folder, isPrivate: isPrivate)
        try Folder.checkWritable(folder)
        path = folder
        temporary = nil
      } else {
        let temporary = try TemporaryFolder(prefix: "footbridge-demo")
        path = temporary.path
        self.temporary = temporary
      }
    } catch {
      throw Complaint(
        error.message,
        remedy: folder == nil ? "set TMPDIR to a folder you may write to" : remedy)
    }
  }
}
