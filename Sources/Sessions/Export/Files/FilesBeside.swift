internal import Glibc
internal import LinuxSystem
internal import Values

/// The files written next to an export and named after it, such as `walk.gaps.csv` for `walk.csv`.
struct FilesBeside {
  let paths: [String]
  /// The existing description file, if an earlier export wrote it for the same part of the session;
  /// otherwise `nil`.
  let former: JSON?
  /// The totals in the description file `former`, as text; `nil` if there are none.
  let exported: String?
  private let stem: String
  private let replaces: Bool

  /// Prepares to write files with these names next to the file at `path`, for an export with this
  /// description.
  ///
  /// Existing files are overwritten if they contain the same part of the session, since `walk.gpx`
  /// shares `walk.session.json` with `walk.csv`. Throws an error instead of overwriting files of
  /// another session, or of another part of this session, unless `replaces` is true.
  init(
    _ path: String, _ names: [String], describedBy description: JSONValue, replaces: Bool
  ) throws(OutputRefusal) {
    let stem = Self.stem(of: path)
    paths = Self.paths(path, names)
    self.stem = stem
    let text = Self.text(stem + "." + SessionFiles.descriptionName)
    let former = text.flatMap { try? JSON(parsing: Array($0.utf8)) }
    let isSame = former.map { Self.isSamePart($0, description.text) } ?? false
    self.former = isSame ? former : nil
    exported = isSame ? text.flatMap(SideTables.exported(in:)) : nil
    self.replaces = replaces || isSame
    guard !self.replaces else { return }
    for path in paths { try OutputPlace.refuseOccupied(path) }
  }

  func file(_ name: String) throws(OutputRefusal) -> OutputFile {
    try OutputFile(path: stem + "." + name, replaces: replaces)
  }

  static func paths(_ path: String, _ names: [String]) -> [String] {
    names.map { stem(of: path) + "." + $0 }
  }

  static func stem(of path: String) -> String {
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) }
    guard let dot = path[(start ?? path.startIndex)...].lastIndex(of: "."),
      dot != start ?? path.startIndex
    else { return path }
    return String(path[..<dot])
  }

  /// Reads a file; `nil` if it is not a regular file, or is larger than any description can be.
  private static func text(_ path: String) -> String? {
    var status = stat()
    // The type is checked before opening the file, since opening a pipe would block.
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return WholeFile.text(path, upTo: 64 << 20)
  }

  /// Whether two descriptions have the same session, streams and time range.
  private static func isSamePart(_ one: JSON, _ other: String) -> Bool {
    guard let other = try? JSON(parsing: Array(other.utf8)) else { return false }
    func streams(_ description: JSON) -> [[JSON?]]? {
      description["streams"]?.list?.map { [$0["board"], $0["signal"]] }
    }
    return ["session", "from", "to"].allSatisfy { one[$0] == other[$0] }
      && streams(one) == streams(other)
  }
}
