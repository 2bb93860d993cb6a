public import Recording

/// A piece of a track, or why it cannot be had.
public enum TrackFinding: Sendable {
  /// The piece.
  case found(TrackPiece)
  /// It is not there, or damaged, for this reason.
  case missing(String)
}

/// Consecutive fixes of a track that a reader does not get.
public struct MissingFixes: Hashable, Sendable {
  /// The number of the first of them.
  public let first: Int
  /// How many they are.
  public private(set) var count: Int
  /// Why, in half a sentence.
  public let reason: String

  /// Takes the following fixes too, if these are missing for the same reason.
  fileprivate mutating func join(_ next: MissingFixes) -> Bool {
    guard next.first == first + count, next.reason == reason else { return false }
    count += next.count
    return true
  }
}

/// The pieces of a track that a reader asks for, in order, and the fixes that it does not get.
///
/// A missing piece costs only itself. The count in a record may come from another program and
/// cannot be trusted: after many pieces in a row without a fix, the others are missing too.
public struct TrackReading: Sendable {
  /// Pieces in a row without a fix, after which no other is asked for: 35 hours at one a second.
  static let patience = 64

  /// The fixes that could not be had.
  public private(set) var missing: [MissingFixes] = []

  private let count: Int
  private var first = 0
  private var inVain = 0

  /// The track of a session with this record.
  public init(of record: SessionRecord) {
    count = record.fixCount
  }

  /// The numbers of the first fixes of the next pieces, at most so many of them; none at the end.
  public func next(_ most: Int) -> [Int] {
    Array(stride(from: first, to: count, by: TrackPiece.capacity).prefix(most))
  }

  /// Takes the next piece. Returns its fixes.
  public mutating func take(_ finding: TrackFinding) -> [Fix] {
    guard first < count else { return [] }
    let (fixes, reason) =
      switch finding {
      case .found(let piece): (piece.fixes, "their piece of the track ends before them")
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
