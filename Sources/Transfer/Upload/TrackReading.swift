public import Recording

/// A piece of a track, or the reason why it is missing.
public enum TrackFinding: Sendable {
  case found(TrackPiece)
  /// The piece is missing or damaged, for this reason.
  case missing(String)
}

/// Consecutive fixes of a track that a reader cannot get.
public struct MissingFixes: Hashable, Sendable {
  /// The number of the first fix.
  public let first: Int
  /// The number of fixes.
  public private(set) var count: Int
  /// The reason, as a clause without a full stop.
  public let reason: String

  /// Appends the following fixes if these are missing for the same reason.
  fileprivate mutating func join(_ next: MissingFixes) -> Bool {
    guard next.first == first + count, next.reason == reason else { return false }
    count += next.count
    return true
  }
}

/// The pieces of a track to request, in order, and the fixes that are missing.
///
/// Only the fixes of a missing piece are lost. The count in a record may come from another program
/// and cannot be trusted: after many pieces in a row without a fix, the rest counts as missing too.
public struct TrackReading: Sendable {
  /// Pieces in a row without a fix after which no other is requested: 35 hours at one fix a second.
  static let patience = 64

  /// The missing fixes so far.
  public private(set) var missing: [MissingFixes] = []

  private let count: Int
  private var first = 0
  private var inVain = 0

  /// The track of a session with this record.
  public init(of record: SessionRecord) {
    count = record.fixCount
  }

  /// The numbers of the first fixes of the next pieces, at most `most`; empty at the end.
  public func next(_ most: Int) -> [Int] {
    Array(stride(from: first, to: count, by: TrackPiece.capacity).prefix(most))
  }

  /// Takes the next piece and returns its fixes.
  public mutating func take(_ finding: TrackFinding) -> [Fix] {
    guard first < count else { return [] }
    let (fixes, reason) =
      switch finding {
      case .found(let piece): (piece.fixes, "their piece of the track ends too early")
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
