internal import Values

/// The requests and their answers, for the comparison with the database.
struct FleetLedger: Sendable {
  /// What became of an id that was sent.
  struct Entry: Sendable {
    var gateway: UniqueID
    var id: UniqueID
    /// The hashes of the contents that were sent under the id.
    var sent: [[UInt8]]
    /// The hash of the content that was acknowledged.
    var acknowledged: [UInt8]?
    /// Answers that said it was stored just then.
    var stored = 0
    /// Requests with one of several contents that were answered, and conflicts among the answers.
    var decided = 0
    var conflicts = 0
  }

  /// All ids, in the order of sending.
  var entries: [Entry] = []
  /// When each chunk was acknowledged, in seconds since the beginning.
  var times: [Double] = []
  /// Seconds from a request to its answer.
  var answers: [Double] = []
  /// Bytes of acknowledged chunks.
  var bytes = 0
  /// Requests that were sent again because no answer, or one of 5xx, came.
  var repeated = 0
  /// Requests that got no answer until the end, to which anything may have happened.
  var undecided = 0
  /// Answers that no receiver may give.
  var faults: [String] = []

  /// Adds the ledger of another lane.
  mutating func add(_ other: FleetLedger) {
    entries += other.entries
    times += other.times
    answers += other.answers
    bytes += other.bytes
    repeated += other.repeated
    undecided += other.undecided
    faults += other.faults
  }

  /// Other bytes sent on purpose under an id that is taken, and conflicts reported for them.
  var conflicts: (sent: Int, reported: Int) {
    entries.reduce(into: (0, 0)) { sum, entry in
      guard entry.sent.count > 1 else { return }
      sum.0 += max(0, entry.decided - 1)
      sum.1 += entry.conflicts
    }
  }

  /// The longest time without an acknowledged chunk, from the beginning to the last one.
  var longestPause: Double {
    let times = times.sorted()
    return zip([0] + times, times).reduce(0) { max($0, $1.1 - $1.0) }
  }
}
