public import Recording

/// A track piece, or the reason it is missing.
public enum TrackFinding: Sendable {
  case found(TrackPiece)
  /// The piece is missing or damaged. The text states why.
  case missing(String)
}

/// Consecutive fixes of a track that could not be read.
public struct MissingFixes: Hashable, Sendable {
  /// The number of the first missing fix.
  public let first: Int
  public private(set) var count: Int
  /// The reason the fixes are missing, as a clause without a full stop.
  public let reason: String

  /// Appends the next missing fixes if they follow directly and are missing for the same reason.
  /// Returns whether they were appended.
  fileprivate mutating func join(_ next: MissingFixes) -> Bool {
    guard next.first == first + count, next.reason == reason else { return false }
    count += next.count
    return true
  }
}

/// Decides which pieces of a track to request, and collects the fixes that are missing.
///
/// If a piece is missing, only its own fixes are lost. The number of fixes that a record states
/// cannot be trusted, because the record may come from another program. After many consecutive
/// pieces without a fix, all further fixes are considered missing too.
public struct TrackReading: Sendable {
  /// The number of consecutive pieces without a fix after which no more pieces are requested. At
  /// one fix per second, this corresponds to 35 hours.
  static let patience = 64

  public private(set) var missing: [MissingFixes] = []

  private let count: Int
  private var first = 0
  private var inVain = 0

  public init(of record: SessionRecord) {
    count = record.fixCount
  }

  /// Returns the number of the first fix in each of the next pieces. Returns at most `most`
  /// numbers, and none at the end of the track.
  public func next(_ most: Int) -> [Int] {
    Array(stride(from: first, to: count, by: TrackPiece.capacity).prefix(most))
  }

  /// Processes the next piece and returns its fixes.
  public mutating func take(_ finding: TrackFinding) -> [Fix] {
    guard first < count else { return [] }
    let (fixes, reason) =
      switch finding {
      case .found(let piece):
        (piece.fixes, "the track piece that should contain them ends too early")
      case .missing(let reason): ([], reason)
      }
    inVain = fixes.isEmpty ? inVain + 1 : 0
    let isLast = inVain == Self.patience || count - first <= TrackPiece.capacity
    let end = isLast ? count : first + TrackPiece.capacity
    lack(from: first + fixes.count, to: end, reason)
    first = end
    return fixes
  }

  private mutating func lack(from first: Int, to end: Int, _ reason: String) {
    guard first < end else { return }
    let lack = MissingFixes(first: first, count: end - first, reason: reason)
    let isJoined = missing.indices.last.map { missing[$0].join(lack) } ?? false
    if !isJoined { missing.append(lack) }
  }
}
