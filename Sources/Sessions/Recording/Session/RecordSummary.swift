public import Values

/// A session as lists show it. Lists use these summaries since a record may have 7 MB.
public struct RecordSummary: Hashable, Sendable {
  /// The session, one clock entry that dates its start, its distance, and the event that marks
  /// unknown losses.
  public var outline: SessionRecord
  public var boards: Int
  /// Samples of the chunks that the record lists.
  public var samples: Int
  /// Lost samples in these chunks.
  public var lost: UInt64
  /// Number of chunks that the record lists.
  public var listed: Int
  /// The session's end, or the last instant in the record.
  public var end: BootTime

  /// Unicode scalars of a text in a list: the longest note that a command accepts.
  private static let mostText = 2_000

  /// A summary with the given numbers.
  public init(
    of outline: SessionRecord, boards: Int, samples: Int, lost: UInt64, listed: Int, end: BootTime
  ) {
    self.outline = outline
    self.boards = boards
    self.samples = samples
    self.lost = lost
    self.listed = listed
    self.end = end
  }

  /// The summary of a session without its numbers.
  ///
  /// - Parameter clock: the table that dates it.
  /// - Parameter mayMiss: whether uncounted samples may be gone.
  public init(of session: Session, clock: ClockTable, distance: Double?, mayMiss: Bool) {
    func bounded(_ text: String) -> String {
      // Not characters, since one of them may have any number of accents.
      String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.mostText)))
    }
    var session = session
    session.note = bounded(session.note)
    session.gateway = bounded(session.gateway)
    session.wearer = bounded(session.wearer)
    var outline = SessionRecord(session: session)
    if let utc = clock.utc(at: session.start),
      let source = ClockTable.Source.allCases.first(where: { $0.name == clock.sourceName })
    {
      outline.clock = [ClockTable.Entry(boot: session.start, utc: utc, source: source)]
    }
    if let distance {
      var statistics = SessionStatistics()
      statistics.distance = distance
      outline.statistics = statistics
    }
    if mayMiss { outline.events = [SessionEvent(.damaged, at: session.start)] }
    self.init(
      of: outline, boards: 0, samples: 0, lost: 0, listed: 0, end: session.end ?? session.start)
  }

  public init(of record: SessionRecord) {
    self.init(
      of: record.session, clock: ClockTable(record.clock), distance: record.statistics?.distance,
      mayMiss: record.events.haveUnknownLosses)
    let chunks = record.streams.lazy.flatMap(\.chunks)
    boards = record.boards.count
    samples = chunks.reduce(0) { $0 + $1.sampleCount }
    lost = chunks.reduce(0) { $0.addingSaturated($1.lostCount) }
    listed = record.streams.reduce(0) { $0 + $1.chunks.count }
    end = record.session.end ?? chunks.map(\.first).max() ?? record.session.start
  }
}
