internal import LinuxSystem
internal import Terminal

/// The folder for a command's files: one that the user named, or a temporary one.
struct WorkFolder: Sendable {
  let path: String
  /// Removes the folder at the end, unless the user wants it.
  private let temporary: TemporaryFolder?

  /// Creates the folder if it is missing, and checks that files can be created in it.
  ///
  /// The remedy is for a folder that cannot be used. With `isPrivate`, a new folder is for this
  /// user alone.
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
