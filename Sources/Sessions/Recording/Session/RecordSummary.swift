public import Values

/// The summary of a session's record, for lists of sessions. Lists do not read records, since a
/// record may be up to 7 MB long.
public struct RecordSummary: Hashable, Sendable {
  /// A reduced record: the session, one clock entry that dates its start, its statistics, and up to
  /// two events that mark losses. An event without a value marks an unknown loss. The value of the
  /// other event is the number of lost chunks.
  public var outline: SessionRecord
  public var boards: Int
  /// Total number of samples in the chunks that the record lists.
  public var samples: Int
  /// Total number of lost samples: in the gaps of the chunks that the record lists, and in chunks
  /// that no longer have any copy.
  public var lost: UInt64
  /// Number of chunks that the record lists.
  public var listed: Int
  /// The session's end or, if that is unknown, the start of the latest chunk that the record lists.
  public var end: BootTime

  /// Number of chunks of which no copy exists.
  public var lostChunks: Int {
    outline.events.lazy.filter { $0.kind == .damaged }.compactMap(\.value)
      .compactMap { Int(exactly: $0.rounded()) }.reduce(0, max)
  }

  /// Maximum length of a string in the summary, in Unicode scalars. A note passed to a command may
  /// be at most this long.
  private static let mostText = 2_000

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

  /// Creates a summary of a session. Its counts of boards, samples and listed chunks are zero.
  ///
  /// - Parameter clock: the clock table that dates the session.
  /// - Parameter mayMiss: whether an unknown number of samples may be missing.
  /// - Parameter lostChunks: the number of chunks of which no copy exists.
  public init(
    of session: Session, clock: ClockTable, statistics: SessionStatistics?, mayMiss: Bool,
    lostChunks: Int
  ) {
    func bounded(_ text: String) -> String {
      // Counts scalars rather than characters, since one character may have any number of combining
      // marks.
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
    outline.statistics = statistics
    if mayMiss { outline.events = [SessionEvent(.damaged, at: session.start)] }
    if lostChunks > 0 {
      outline.events.append(
        SessionEvent(.damaged, at: session.start, value: Double(lostChunks)))
    }
    self.init(
      of: outline, boards: 0, samples: 0, lost: 0, listed: 0, end: session.end ?? session.start)
  }

  public init(of record: SessionRecord) {
    self.init(
      of: record.session, clock: ClockTable(record.clock), statistics: record.statistics,
      mayMiss: record.events.haveUnknownLosses,
      lostChunks: record.streams.reduce(0) { $0 + $1.gone.count })
    let chunks = record.streams.lazy.flatMap(\.chunks)
    boards = record.boards.count
    samples = chunks.reduce(0) { $0 + $1.sampleCount }
    lost = chunks.reduce(0) { $0.addingSaturated($1.lostCount) }
    for gone in record.streams.lazy.flatMap(\.gone) {
      lost = lost.addingSaturated(gone.allSamples)
    }
    listed = record.streams.reduce(0) { $0 + $1.chunks.count }
    end = record.session.end ?? chunks.map(\.first).max() ?? record.session.start
  }
}
