internal import LinuxSystem
internal import Terminal

/// The folder in which a command creates its files: a folder given by the user, or a temporary one.
struct WorkFolder: Sendable {
  let path: String
  /// The temporary folder, which is removed at the end; `nil` for a folder given by the user.
  private let temporary: TemporaryFolder?

  /// Creates the folder if it is missing, and checks that files can be created in it.
  ///
  /// `remedy` is shown if the folder cannot be used. With `isPrivate`, only this user can access a
  /// new folder.
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
        remedy: folder == nil ? "set TMPDIR to a folder that you can write to" : remedy)
    }
  }
}
