internal import SQLite
public import Values

/// Why a map cannot be used, or a tile not be read.
public struct TileError: Remediable, Hashable {
  /// The kind, which callers distinguish.
  public enum Kind: Hashable, Sendable {
    /// The file cannot be opened or read, as after its stick was pulled out. It may come back.
    case away
    /// The file is no MBTiles file, is damaged, or was made to take for ever.
    case unusable
    /// One tile is no picture, or too large. Others may be sound.
    case badTile
    /// The file is sound, and has tiles of a kind that the page cannot show.
    case unsupported
  }

  /// The kind.
  public let kind: Kind
  /// What failed, on what, in one line.
  public let message: String
  /// What to do about it.
  public let remedy: String

  init(_ kind: Kind, _ message: String, remedy: String) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
  }

  /// The remedy for a file with other content.
  static let make = "make the map again, for example with QGIS: 'Generate XYZ tiles (MBTiles)'"
  /// The remedy for a file that is away.
  static let plug = "see that the file is there and that this user may read it"
}

extension TileError: SQLiteFailure {
  /// The error of a file that was read as a database.
  init(_ error: SQLiteError) {
    switch error.kind {
    case .interrupted:
      self.init(
        .unusable, "cannot read \(error.path): it takes too long to find a tile",
        remedy: "\(Self.make); the table of its tiles needs an index")
    // A database without the tables of MBTiles.
    case .other where error.reason.hasPrefix("no such "), .notADatabase:
      self.init(.unusable, "\(error.path) is no MBTiles file", remedy: Self.make)
    case .damaged:
      self.init(
        .unusable, "\(error)", remedy: "copy the file again from where it came, or \(Self.make)")
    case .cannotOpen, .readOnly, .busy, .full:
      self.init(.away, "\(error)", remedy: Self.plug)
    case .refused, .other:
      // "input/output error": the medium fails or is gone.
      let isMedium = error.reason.holds("I/O")
      self.init(
        isMedium ? .away : .unusable, "\(error)", remedy: isMedium ? Self.plug : Self.make)
    }
  }
}
