public import Values

/// Consecutive fixes of a session's track. Uploads and folders store tracks in such pieces.
public struct TrackPiece: Hashable, Sendable {
  /// Maximum number of fixes in a piece; every piece but the last is full.
  public static let capacity = 2_000

  /// Maximum number of fixes in a track, which is six years at ten fixes per second. A larger
  /// number is invalid.
  public static let mostFixes = 2_000_000_000

  public var session: UniqueID
  /// The number of the piece's first fix in the track, which is a multiple of `capacity`.
  public var first: Int
  /// The fixes in order of arrival.
  public var fixes: [Fix]

  public init(session: UniqueID, first: Int, fixes: [Fix]) {
    self.session = session
    self.first = first
    self.fixes = fixes
  }

  /// Whether the stored fixes (`held`) begin with these fixes. A track only grows, so the longer
  /// piece is the newer one and must not be replaced.
  public func begins(_ held: [Fix]) -> Bool { held.starts(with: fixes) }
}
