internal import LinuxSystem

/// Where a command puts its files: a folder the user named, or a temporary one.
struct WorkFolder: Sendable {
  let path: String
  /// Removes the folder at the end, unless the user wants it.
  private let temporary: TemporaryFolder?

  /// Makes the folder if it is not there and sees that files can be made in it.
  init(keeping folder: String?) throws(Complaint) {
    do throws(SystemError) {
      if let folder {
        try Folder.make(folder)
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
        error.description,
        remedy: folder == nil
          ? "set TMPDIR to a folder you may write to"
          : "name a folder you may write to, as in --keep ~/footbridge-demo")
    }
  }

  /// What to tell about the files at the end.
  var farewell: String {
    temporary == nil
      ? "Kept in \(path): \(DemoRun.storeName), \(DemoRun.samplesName), \(DemoRun.trackName)"
      : "Use --keep FOLDER to keep the store and its exports as CSV and GeoJSON."
  }
}
