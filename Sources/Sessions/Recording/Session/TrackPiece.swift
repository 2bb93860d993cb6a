public import Values

/// Consecutive fixes of a session's track, as they are sent and as a folder stores them.
public struct TrackPiece: Hashable, Sendable {
  /// The most fixes in a piece; every piece but the last has that many.
  public static let capacity = 2_000

  /// The most fixes of a track: six years at ten per second. A larger number is invalid.
  public static let mostFixes = 2_000_000_000

  public var session: UniqueID
  /// The number of the piece's first fix in the track, a multiple of `capacity`.
  public var first: Int
  /// The fixes in order of arrival.
  public var fixes: [Fix]

  public init(session: UniqueID, first: Int, fixes: [Fix]) {
    self.session = session
    self.first = first
    self.fixes = fixes
  }

  /// Whether these fixes are the beginning of the piece that is held. A track only grows, so the
  /// longer piece is the later one, and is kept.
  public func begins(_ held: [Fix]) -> Bool { held.starts(with: fixes) }
}
