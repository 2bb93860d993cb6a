public import Values

/// Consecutive fixes of a session's track, as they travel and as they lie in a folder.
public struct TrackPiece: Hashable, Sendable {
  /// Fixes in a piece at most; every piece but the last has as many.
  public static let capacity = 2_000

  /// Fixes of a track at most: six years of ten a second. What counts more is no track.
  public static let mostFixes = 2_000_000_000

  /// The session.
  public var session: UniqueID
  /// The number of its first fix in the track, a multiple of `capacity`.
  public var first: Int
  /// The fixes in order of arrival.
  public var fixes: [Fix]

  /// A piece with the given parts.
  public init(session: UniqueID, first: Int, fixes: [Fix]) {
    self.session = session
    self.first = first
    self.fixes = fixes
  }
}
