internal import SQLite
public import Values

/// The reason a map cannot be used, or a tile cannot be read.
public struct TileError: Remediable, Hashable {
  /// The kinds of errors that callers distinguish.
  public enum Kind: Hashable, Sendable {
    /// The file cannot be opened or read, for example because its USB stick was removed. It may
    /// become available again.
    case away
    /// The file is not an MBTiles file, is damaged, or contains views designed to run forever.
    case unusable
    /// One tile is not an image, or is too large. Other tiles may be intact.
    case badTile
    /// The file is intact, but the page cannot show the kind of tiles that it contains.
    case unsupported
  }

  public let kind: Kind
  /// The failure, on one line.
  public let message: String
  public let remedy: String

  init(_ kind: Kind, _ message: String, remedy: String) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
  }

  /// The remedy for a file that cannot be used as a map.
  static let make = "make the map again, for example with QGIS: 'Generate XYZ tiles (MBTiles)'"
  /// The remedy for a missing file.
  static let plug = "check that the file exists and that this user may read it"
}

extension TileError: SQLiteFailure {
  /// Creates the error for a file that was read as a database.
  init(_ error: SQLiteError) {
    switch error.kind {
    case .interrupted:
      self.init(
        .unusable, "cannot read \(error.path): finding a tile takes too long",
        remedy: "\(Self.make); its tile table needs an index")
    // The database does not have the tables of MBTiles.
    case .other where error.reason.hasPrefix("no such "), .notADatabase:
      self.init(.unusable, "\(error.path) is not an MBTiles file", remedy: Self.make)
    case .damaged:
      self.init(
        .unusable, "\(error)", remedy: "copy the file again from its source, or \(Self.make)")
    case .cannotOpen, .readOnly, .busy, .full:
      self.init(.away, "\(error)", remedy: Self.plug)
    case .refused, .other:
      // "disk I/O error" means that the medium has failed or was removed.
      let isMedium = error.reason.holds("I/O")
      self.init(
        isMedium ? .away : .unusable, "\(error)", remedy: isMedium ? Self.plug : Self.make)
    }
  }
}
