internal import Values

/// The paths of the files in a folder of sessions. Names contain only digits, letters of one case,
/// hyphens and dots, which every file system preserves.
struct FolderLayout: Sendable {
  let root: String

  init(_ path: String) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    root = path
  }

  static let chunks = "chunks"
  static let sessions = "sessions"
  static let record = "record.json"
  static let track = "track"
  static let chunkEnding = ".chunk"
  static let trackEnding = ".json"

  var chunksFolder: String { root + "/" + Self.chunks }
  var sessionsFolder: String { root + "/" + Self.sessions }

  /// Returns the folder that contains a chunk. There are 256 such folders, since some file systems
  /// search a folder linearly.
  func chunkFolder(_ id: UniqueID) -> String { chunkFolder(named: Self.chunkFolderName(id)) }
  func chunkFolder(named name: String) -> String { chunksFolder + "/" + name }
  static func chunkFolderName(_ id: UniqueID) -> String { String(id.description.prefix(2)) }
  func chunk(_ id: UniqueID) -> String {
    chunkFolder(id) + "/" + id.description + Self.chunkEnding
  }

  func sessionFolder(_ id: UniqueID) -> String { sessionsFolder + "/" + id.description }
  func record(_ id: UniqueID) -> String { sessionFolder(id) + "/" + Self.record }
  func trackFolder(_ id: UniqueID) -> String { sessionFolder(id) + "/" + Self.track }
  func piece(_ id: UniqueID, first: Int) -> String {
    trackFolder(id) + "/" + String(first) + Self.trackEnding
  }
}
