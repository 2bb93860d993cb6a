internal import Values

/// Records the requests and their results for comparison with the database. Each chunk needs only a
/// few bytes, because its id and content can be recomputed.
struct FleetLedger: Sendable {
  /// The results for one chunk id.
  struct Entry: Sendable {
    /// The gateway's index among all gateways.
    var gateway: Int32
    /// The chunk's number in the gateway's session.
    var number: Int32
    /// Whether different bytes were also sent under this id.
    var hasOther = false
    /// The content that a receiver acknowledged; `nil` if none was acknowledged.
    var acknowledged: Content?
    /// The number of responses that reported the chunk as newly stored.
    var stored: UInt8 = 0
    /// The number of verdicts on this id, and the number of verdicts that reported a conflict.
    var decided: UInt8 = 0
    var conflicts: UInt8 = 0
  }

  /// The bytes sent under an id: the chunk's own bytes, or different bytes.
  enum Content: Sendable {
    case own, other
  }

  /// All ids, in the order in which they were sent.
  var entries: [Entry] = []
  /// The times of acknowledgements, in seconds since the start of the run.
  var times: [Double] = []
  /// Response times in seconds.
  var answers: [Double] = []
  /// The responses' arrival times in the order of `answers`, in seconds since the start of the run.
  var answered: [Double] = []
  /// The total size of acknowledged chunks in bytes.
  var bytes = 0
  /// The number of responses with each status.
  var statuses: [Int: Int] = [:]
  /// The number of requests that were sent again because the response was lost or requested a
  /// retry.
  var repeated = 0
  /// The number of requests still unanswered at the end. Their outcome is unknown.
  var undecided = 0
  /// The number of requests sent to two receivers at the same time.
  var twins = 0
  /// Descriptions of responses that a receiver must never send.
  var faults: [String] = []

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

  /// The number of requests that deliberately sent different bytes under an existing id, and the
  /// number of conflicts reported for these requests.
  var conflicts: (sent: Int, reported: Int) {
    entries.reduce(into: (0, 0)) { sum, entry in
      guard entry.hasOther else { return }
      sum.0 += max(0, Int(entry.decided) - 1)
      sum.1 += Int(entry.conflicts)
    }
  }

  /// The number of chunks that were stored although the response was lost. The next response
  /// reported them as already stored.
  var lostAnswers: Int {
    entries.count { $0.acknowledged != nil && $0.stored == 0 }
  }

  /// The response time in seconds above which a response is considered slow.
  static let slowAnswer = 0.25

  /// Returns the number of slow responses whose wait overlaps the time between `start` and `end`,
  /// in seconds since the start of the run.
  func slowAnswers(from start: Double = 0, to end: Double = .infinity) -> Int {
    zip(answers, answered).count { $0 > Self.slowAnswer && $1 >= start && $1 - $0 <= end }
  }

  /// Returns the longest time without an acknowledged chunk between two times, which are in seconds
  /// since the start of the run. A pause that overlaps this range is measured in full.
  ///
  /// - Precondition: `times` is sorted.
  func longestPause(from start: Double = 0, to end: Double = .infinity) -> Double {
    zip([0] + times, times).reduce(0) { longest, pause in
      pause.1 < start || pause.0 > end ? longest : max(longest, pause.1 - pause.0)
    }
  }
}
