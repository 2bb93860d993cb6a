internal import Values

/// The requests and their answers, for the comparison with the database. A chunk takes a few bytes:
/// its id and content can be recomputed.
struct FleetLedger: Sendable {
  /// The fate of an id that was sent.
  struct Entry: Sendable {
    /// The gateway, by its place among all.
    var gateway: Int32
    /// The chunk's number in the gateway's session.
    var number: Int32
    /// Whether other bytes were sent under the id too.
    var hasOther = false
    /// The content that was acknowledged.
    var acknowledged: Content?
    /// Answers that reported it as newly stored.
    var stored: UInt8 = 0
    /// Answered requests with one of two contents, and conflicts among the answers.
    var decided: UInt8 = 0
    var conflicts: UInt8 = 0
  }

  /// The bytes sent under an id: the chunk's own, or others.
  enum Content: Sendable {
    case own, other
  }

  /// All ids, in the order of sending.
  var entries: [Entry] = []
  /// Times at which chunks were acknowledged, in seconds since the beginning.
  var times: [Double] = []
  /// Seconds from a request to its answer.
  var answers: [Double] = []
  /// Times of these answers, in seconds since the beginning.
  var answered: [Double] = []
  /// Bytes of acknowledged chunks.
  var bytes = 0
  /// Answers by their status.
  var statuses: [Int: Int] = [:]
  /// Requests sent again because no answer came, or the answer asked for it.
  var repeated = 0
  /// Requests without an answer until the end, to which anything may have happened.
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

  /// Other bytes sent on purpose under an existing id, and conflicts reported for them.
  var conflicts: (sent: Int, reported: Int) {
    entries.reduce(into: (0, 0)) { sum, entry in
      guard entry.hasOther else { return }
      sum.0 += max(0, Int(entry.decided) - 1)
      sum.1 += Int(entry.conflicts)
    }
  }

  /// Chunks that were stored although the answer to that request was lost: the next answer said
  /// held.
  var lostAnswers: Int {
    entries.count { $0.acknowledged != nil && $0.stored == 0 }
  }

  /// The longest an answer may take, in seconds.
  static let slowAnswer = 0.25

  /// The slow answers between two moments.
  func slowAnswers(from start: Double = 0, to end: Double = .infinity) -> Int {
    zip(answers, answered).count { $0 > Self.slowAnswer && $1 >= start && $1 - $0 <= end }
  }

  /// The longest time without an acknowledged chunk between two moments, in seconds since the
  /// beginning. A pause that lies partly between them counts in full.
  ///
  /// `times` must be in order.
  func longestPause(from start: Double = 0, to end: Double = .infinity) -> Double {
    zip([0] + times, times).reduce(0) { longest, pause in
      pause.1 < start || pause.0 > end ? longest : max(longest, pause.1 - pause.0)
    }
  }
}
