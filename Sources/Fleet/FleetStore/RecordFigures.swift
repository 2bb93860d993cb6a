internal import Postgres
public import Recording
internal import UploadProtocol
public import Values

/// What a list says of a session, worked out when its record comes: a record may have 7 MB.
public struct RecordFigures: Sendable {
  /// The session, with one pair of clocks that dates its start.
  public var outline: SessionRecord
  /// Number of boards.
  public var boards: Int
  /// Samples of the chunks that the record lists.
  public var samples: Int
  /// Samples that they count as lost.
  public var lost: UInt64
  /// Number of chunks that the record lists.
  public var listed: Int
  /// The session's end, or its last instant that the record tells of.
  public var end: BootTime

  /// Characters that a list shows of a text.
  private static let mostText = 1_000

  /// The figures of a record.
  public init(of record: SessionRecord) {
    let chunks = record.streams.lazy.flatMap(\.chunks)
    var session = record.session
    session.note = String(session.note.prefix(Self.mostText))
    session.gateway = String(session.gateway.prefix(Self.mostText))
    session.wearer = String(session.wearer.prefix(Self.mostText))
    outline = SessionRecord(session: session)
    let clock = ClockTable(record.clock)
    if let utc = clock.utc(at: session.start),
      let source = ClockTable.Source.allCases.first(where: { $0.name == clock.sourceName })
    {
      outline.clock = [ClockTable.Entry(boot: session.start, utc: utc, source: source)]
    }
    boards = record.boards.count
    samples = chunks.reduce(0) { $0 + $1.sampleCount }
    lost = chunks.reduce(0) { $0.addingSaturated($1.lostCount) }
    listed = record.streams.reduce(0) { $0 + $1.chunks.count }
    end = session.end ?? chunks.map(\.first).max() ?? session.start
  }

  /// The columns of `session` that have them, with the number of the record's bytes: if the record
  /// has another number, something else changed it.
  static let columns = ["outline", "boards", "samples", "lost", "listed", "end_ns", "record_bytes"]

  /// The values of these columns.
  func values(recordBytes: Int) -> [PostgresValue] {
    [
      .bytes(outline.encoded), .integer(Int64(boards)), .integer(Int64(samples)),
      .integer(Int64(clamping: lost)), .integer(Int64(listed)), .integer(end.nanoseconds),
      .integer(Int64(recordBytes)),
    ]
  }

  /// The figures in a row that has the columns from this one on; `nil` if there are none, or if
  /// they cannot be read.
  init?(_ rows: borrowing PostgresRows, _ row: Int, from first: Int) {
    guard let bytes = rows.bytes(row, first), let outline = try? SessionRecord(decoding: bytes),
      let boards = rows.integer(row, first + 1), let samples = rows.integer(row, first + 2),
      let lost = rows.integer(row, first + 3), let listed = rows.integer(row, first + 4),
      let end = rows.integer(row, first + 5)
    else { return nil }
    self.outline = outline
    self.boards = Int(boards)
    self.samples = Int(samples)
    self.lost = UInt64(max(0, lost))
    self.listed = Int(listed)
    self.end = BootTime(nanoseconds: end)
  }
}

/// A session in a list of a fleet.
public struct ListedSession: Sendable {
  /// The samples and chunks that are held.
  public var held: HeldSession
  /// What its record says; `nil` if that has to be looked at.
  public var figures: RecordFigures?
}
