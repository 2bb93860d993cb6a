public import Recording
internal import SQLite
public import Values

/// The chunks of a stream that are known but missing from the store.
public struct GoneChunks: Hashable, Sendable {
  public var board: BoardAddress
  public var signal: String
  /// The sequence numbers of the missing chunks, as contiguous ranges.
  public fileprivate(set) var places: [ClosedRange<UInt32>] = []

  public var count: Int { places.reduce(0) { $0 + $1.count } }
}

/// Finds known chunks that are missing from the store. They were set aside as damaged, deleted, or
/// recorded elsewhere and not yet received.
extension StoreReader {
  /// Returns the number of samples in a stream's missing chunks within a range of sequence numbers,
  /// including samples that the chunks themselves counted as lost.
  public func goneSamples(
    of stream: StoredStream, in places: ClosedRange<UInt32>
  ) throws(StoreError) -> UInt64 {
    try database.first(
      goneSamples("stream = ?1 AND sequence BETWEEN ?2 AND ?3"),
      [stream.number, places.lowerBound, places.upperBound]
    ) { row in Self.count(row.double(0)) } ?? 0
  }

  /// Returns the number of a stream's samples that are lost in its missing chunks.
  ///
  /// If a chunk was set aside as damaged, or deleted, before any destination received it, no copy
  /// exists, so all its samples count. For any other missing chunk, only samples that the chunk
  /// itself had counted as lost are included.
  public func samplesLostWithChunks(of stream: StoredStream) throws(StoreError) -> UInt64 {
    try database.first(goneSamples("stream = ?1", lostAlone: true), [stream.number]) { row in
      Self.count(row.double(0))
    } ?? 0
  }

  func samplesLostWithChunks(of session: UniqueID) throws(StoreError) -> UInt64 {
    try database.first(samplesLostWithChunksOfSession, [session]) { row in
      Self.count(row.double(0))
    } ?? 0
  }

  /// Whether chunks of a session were recorded elsewhere and have not been received yet.
  public func expectsChunks(of session: UniqueID) throws(StoreError) -> Bool {
    try database.first(
      """
      SELECT 1 FROM absent JOIN stream ON stream.number = absent.stream
      WHERE session = ? AND reason = \(Absence.expected) LIMIT 1
      """, [session]
    ) { _ in true } ?? false
  }

  public func goneChunks(of session: UniqueID) throws(StoreError) -> [GoneChunks] {
    var gone: [GoneChunks] = []
    try database.each(
      """
      SELECT stream.board, stream.signal, missing.sequence FROM (
        SELECT stream, sequence FROM damaged UNION SELECT stream, sequence FROM absent) AS missing
      JOIN stream ON stream.number = missing.stream
      WHERE stream.session = ? AND NOT EXISTS (SELECT 1 FROM chunk
        WHERE chunk.stream = missing.stream AND chunk.sequence = missing.sequence)
      ORDER BY stream.number, missing.sequence
      """, [session]
    ) { row in
      let board = row.board(0)
      let signal = row.text(1)
      let place = row.sequence(2)
      if gone.last?.board != board || gone.last?.signal != signal {
        gone.append(GoneChunks(board: board, signal: signal))
      }
      let last = gone.count - 1
      if let range = gone[last].places.last, range.upperBound < place,
        place - range.upperBound == 1
      {
        gone[last].places[gone[last].places.count - 1] = range.lowerBound...place
      } else {
        gone[last].places.append(place...place)
      }
    }
    return gone
  }

  /// An SQL query for the number of samples that are lost in a session's missing chunks, across all
  /// streams. The parameter is the session's id.
  var samplesLostWithChunksOfSession: String {
    goneSamples("stream IN (SELECT number FROM stream WHERE session = ?1)", lostAlone: true)
  }

  /// An SQL query for the number of a session's chunks that have no copy. The parameter is the
  /// session's id.
  var lostChunksOfSession: String {
    lostChunks("stream IN (SELECT number FROM stream WHERE session = ?1)")
  }

  /// Returns the number of missing chunks in the whole store that have no copy, and the number of
  /// sessions with uncounted losses.
  public func losses() throws(StoreError) -> (chunks: Int, doubtful: Int) {
    let doubtful = """
      SELECT count(DISTINCT session) FROM event
      WHERE kind = '\(SessionEvent.Kind.damaged.rawValue)' AND value IS NULL
      """
    return (Int(try database.integer(lostChunks("1"))), Int(try database.integer(doubtful)))
  }

  /// An SQL condition for damaged chunks that no destination had received.
  private static let isUnsent = """
    NOT EXISTS (SELECT 1 FROM absent WHERE absent.stream = damaged.stream
      AND absent.sequence = damaged.sequence
      AND reason IN (\(Absence.sentToSome), \(Absence.sent)))
    """

  private func lostChunks(_ condition: String) -> String {
    """
    SELECT count(*) FROM (
      SELECT stream, sequence FROM damaged WHERE \(condition) AND \(Self.isUnsent)
      UNION SELECT stream, sequence FROM absent
        WHERE \(condition) AND reason = \(Absence.unsent)) AS missing
    WHERE NOT EXISTS (SELECT 1 FROM chunk
      WHERE chunk.stream = missing.stream AND chunk.sequence = missing.sequence)
    """
  }

  /// Converts a sum from the database to a number of samples. In a damaged store, the sum may be
  /// any number.
  private static func count(_ sum: Double) -> UInt64 {
    UInt64(exactly: max(0, sum).rounded()) ?? .max
  }

  /// Returns an SQL query for the number of missing samples. A chunk that was set aside and
  /// received again is not missing. A chunk that was both set aside and deleted is counted once.
  ///
  /// - Parameter lostAlone: whether to count only samples of which no copy exists. The samples that
  ///   a chunk counted as lost are not in its copies either.
  private func goneSamples(_ condition: String, lostAlone: Bool = false) -> String {
    func samples(ifLost isLost: String) -> String {
      lostAlone ? "iif(\(isLost), samples, 0)" : "samples"
    }
    return """
      SELECT total(gone) FROM (
        SELECT max(gone) AS gone FROM (
          SELECT stream, sequence, \(samples(ifLost: Self.isUnsent)) + max(lost, 0) AS gone
            FROM damaged WHERE \(condition)
          UNION ALL SELECT stream, sequence,
              \(samples(ifLost: "reason = \(Absence.unsent)")) + max(lost, 0)
            FROM absent WHERE \(condition)) AS missing
        WHERE NOT EXISTS (SELECT 1 FROM chunk
          WHERE chunk.stream = missing.stream AND chunk.sequence = missing.sequence)
        GROUP BY stream, sequence)
      """
  }
}
