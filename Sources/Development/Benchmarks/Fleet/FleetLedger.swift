internal import Values

/// The requests and their answers, for the comparison with the database. A chunk takes a few bytes:
/// its id and its bytes can be made again.
struct FleetLedger: Sendable {
  /// What became of an id that was sent.
  struct Entry: Sendable {
    /// The gateway, by its place among all.
    var gateway: Int32
    /// The chunk's number in the gateway's session.
    var number: Int32
    /// Whether other bytes were sent under the id, too.
    var hasOther = false
    /// The content that was acknowledged.
    var acknowledged: Content?
    /// Answers that said it was stored just then.
    var stored: UInt8 = 0
    /// Requests with one of two contents that were answered, and conflicts among the answers.
    var decided: UInt8 = 0
    var conflicts: UInt8 = 0
  }

  /// Which bytes were sent under an id: the chunk's own, or others.
  enum Content: Sendable {
    case own, other
  }

  /// All ids, in the order of sending.
  var entries: [Entry] = []
  /// When each chunk was acknowledged, in seconds since the beginning.
  var times: [Double] = []
  /// Seconds from a request to its answer.
  var answers: [Double] = []
  /// When each of these answers came, in seconds since the beginning.
  var answered: [Double] = []
  /// Bytes of acknowledged chunks.
  var bytes = 0
  /// Answers by their status.
  var statuses: [Int: Int] = [:]
  /// Requests that were sent again because no answer came, or one that asks for it.
  var repeated = 0
  /// Requests that got no answer until the end, to which anything may have happened.
  var undecided = 0
  /// Requests that went to two receivers at the same moment.
  var twins = 0
  /// Answers that no receiver may give.
  var faults: [String] = []

  /// Adds the ledger of another lane.
  mutating func add(_ other: FleetLedger) {
    entries += other.entries
    times += other.times
    answers += other.answers
    answered += other.answered
    bytes += other.bytes
    statuses.merge(other.statuses, uniquingKeysWith: +)
    repeated += other.repeated
    undecided += other.undecided
    twins += other.twins
    faults += other.faults
  }

  /// Other bytes sent on purpose under an id that is taken, and conflicts reported for them.
  var conflicts: (sent: Int, reported: Int) {
    entries.reduce(into: (0, 0)) { sum, entry in
      guard entry.hasOther else { return }
      sum.0 += max(0, Int(entry.decided) - 1)
      sum.1 += Int(entry.conflicts)
    }
  }

  /// Chunks that were stored although the answer to that request was lost: the next one said held.
  var lostAnswers: Int {
    entries.count { $0.acknowledged != nil && $0.stored == 0 }
  }

  /// The longest an answer may take, in seconds.
  static let slowAnswer = 0.25

  /// The slow answers that came between two moments.
  func slowAnswers(from start: Double = 0, to end: Double = .infinity) -> Int {
    zip(answers, answered).count { $0 > Self.slowAnswer && $1 >= start && $1 - $0 <= end }
  }

  /// The longest time without an acknowledged chunk between two moments, in seconds since the
  /// beginning. A pause counts as a whole if a part of it is between them.
  ///
  /// `times` must be in order.
  func longestPause(from start: Double = 0, to end: Double = .infinity) -> Double {
    zip([0] + times, times).reduce(0) { longest, pause in
      pause.1 < start || pause.0 > end ? longest : max(longest, pause.1 - pause.0)
    }
  }
}
