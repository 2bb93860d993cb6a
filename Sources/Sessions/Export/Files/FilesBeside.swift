internal import Glibc
internal import LinuxSystem
internal import Values

/// The files next to an export, named after it: `walk.gaps.csv` for `walk.csv`.
struct FilesBeside {
  /// Their paths.
  let paths: [String]
  private let stem: String
  private let replaces: Bool

  /// Files of these names beside the file at `path`.
  ///
  /// Files of the same session are written again, since `walk.gpx` shares its `walk.session.json`
  /// with `walk.csv`. Files of another session are refused unless they are to be replaced.
  init(
    _ path: String, _ names: [String], of session: UniqueID, replaces: Bool
  ) throws(ExportError) {
    let stem = Self.stem(of: path)
    paths = Self.paths(path, names)
    self.stem = stem
    self.replaces = replaces || Self.describes(stem + "." + SessionFiles.descriptionName, session)
    guard !self.replaces else { return }
    do throws(OutputRefusal) {
      for path in paths { try OutputPlace.refuseOccupied(path) }
    } catch {
      throw ExportError(error)
    }
  }

  /// Begins the file of this name.
  func file(_ name: String) throws(ExportError) -> OutputFile {
    try OutputFile(path: stem + "." + name, replaces: replaces)
  }

  /// The paths of files of these names beside the file at `path`.
  static func paths(_ path: String, _ names: [String]) -> [String] {
    names.map { stem(of: path) + "." + $0 }
  }

  /// The path without the extension of its last component.
  static func stem(of path: String) -> String {
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) }
    guard let dot = path[(start ?? path.startIndex)...].lastIndex(of: "."),
      dot != start ?? path.startIndex
    else { return path }
    return String(path[..<dot])
  }

  /// Whether the file at a path is the description of a session, which begins with its id.
  private static func describes(_ path: String, _ session: UniqueID) -> Bool {
    var status = stat()
    // Checked before it is opened: a pipe would block.
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    let head = WholeFile.text(path, upTo: 512) ?? ""
    return head.hasPrefix(#"{"session":"\#(session)""#)
  }
}
