internal import Glibc
internal import LinuxSystem
internal import Values

/// The files next to an export, named after it: `walk.gaps.csv` for `walk.csv`.
struct FilesBeside {
  /// Their paths.
  let paths: [String]
  /// The part of the existing description about the samples of an earlier export of the same part
  /// of the session; `nil` if there is none.
  let exported: String?
  private let stem: String
  private let replaces: Bool

  /// Files of these names beside the file at `path`, for an export with this description.
  ///
  /// Files of the same part of the session are written again, since `walk.gpx` shares its
  /// `walk.session.json` with `walk.csv`. Files of another session or part belong to samples in
  /// another file, so they are refused unless the export replaces files.
  init(
    _ path: String, _ names: [String], describedBy description: JSONValue, replaces: Bool
  ) throws(OutputRefusal) {
    let stem = Self.stem(of: path)
    paths = Self.paths(path, names)
    self.stem = stem
    let former = Self.text(stem + "." + SessionFiles.descriptionName)
    let isSame = former.map { Self.isSamePart($0, description.text) } ?? false
    exported = isSame ? former.flatMap(SideTables.exported(in:)) : nil
    self.replaces = replaces || isSame
    guard !self.replaces else { return }
    for path in paths { try OutputPlace.refuseOccupied(path) }
  }

  /// Begins the file of this name.
  func file(_ name: String) throws(OutputRefusal) -> OutputFile {
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

  /// The text of a file; `nil` if it is not a regular file, or longer than any description.
  private static func text(_ path: String) -> String? {
    var status = stat()
    // Checked before it is opened: a pipe would block.
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return WholeFile.text(path, upTo: 64 << 20)
  }

  /// Whether two descriptions are of the same session, streams and time range.
  private static func isSamePart(_ one: String, _ other: String) -> Bool {
    guard let one = try? JSON(parsing: Array(one.utf8)),
      let other = try? JSON(parsing: Array(other.utf8))
    else { return false }
    func streams(_ description: JSON) -> [[JSON?]]? {
      description["streams"]?.list?.map { [$0["board"], $0["signal"]] }
    }
    return ["session", "from", "to"].allSatisfy { one[$0] == other[$0] }
      && streams(one) == streams(other)
  }
}
