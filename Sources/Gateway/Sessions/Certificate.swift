internal import LinuxSystem
internal import UploadProtocol
public import Export
public import Recording
public import Values

/// The quality of a session's recording, and hashes that anyone can use to verify later that the
/// recording has not changed.
public struct Certificate: Sendable {
  public struct Board: Sendable {
    public var identity: BoardIdentity
    public var placement: String
    /// The firmware revisions in use during the recording, in chronological order; usually there is
    /// only one.
    public var firmware: [String]
    /// The first and the last battery level that the board reported, in percent.
    public var battery: (first: Double, last: Double)?
    /// The board's settings during the recording, in order, without repetitions.
    public var settings: [String]
  }

  /// The source of a session's date, and the known part of the date's error.
  public struct Clock: Sendable {
    public var table: ClockTable
    /// Number of pairs of boot time and UTC time.
    public var pairs: Int
    /// Offset, in seconds, of the synchronised system clock from satellite time at the end of the
    /// session; positive if the clock is ahead. `nil` unless both sources provided pairs.
    public var systemAhead: Double?

    /// Maximum error of UTC times in seconds, with 95 % confidence; `nil` if unknown. The delay of
    /// a receiver's time may exceed the usual delay by up to half a second.
    public var uncertainty: Double? {
      table.source == .satellites ? 0.5 : systemAhead.map { $0.magnitude + 0.5 }
    }
  }

  /// The session's fixes.
  public struct Track: Sendable {
    public var fixes = 0
    /// Number of fixes for each source of error estimates.
    public var bases: [Fix.ErrorEstimate.Basis: Int] = [:]
    /// Fixes that are missing from the track.
    public var missing = 0
    /// BLAKE2b of the track's pieces, in hexadecimal.
    public var hash = ""
  }

  public var session: Session
  /// The session's end, or the last sample if it has not ended.
  public var end: BootTime
  public var clock: Clock
  public var boards: [Board]
  public var streams: [StreamQuality]
  public var track: Track
  public var tasks: [TaskTurn]
  /// Whether another program recorded the session.
  public var isImported: Bool
  /// Whether more samples may be missing than are counted.
  public var hasUnknownLosses: Bool
  /// BLAKE2b of the session's record: its description, events, hazards and notes.
  public var descriptionHash: String
  /// The names of the destinations that may have received the chunks missing here; `nil` for a
  /// folder, or if the store is still receiving chunks.
  public var destinations: [String]?

  /// BLAKE2b of the contents of all streams: samples, times and gaps.
  public var recordingHash: String { StreamContent.hash(of: streams.map(\.content)) }

  /// Whether every chunk and every fix was read, and matches the store's list.
  public var isWhole: Bool {
    !hasUnknownLosses && track.missing == 0
      && streams.allSatisfy { $0.missing.isEmpty && $0.disagreements.isEmpty }
  }

  /// The chunks that exist only elsewhere. The certificate does not cover them.
  public var elsewhere: (chunks: Int, samples: UInt64) {
    streams.reduce((0, 0)) {
      ($0.0 + $1.elsewhere.chunks, $0.1.addingSaturated($1.elsewhere.samples))
    }
  }

  /// The number of samples that were read.
  public var samples: Int { streams.reduce(0) { $0 + $1.samples } }
  public var lost: UInt64 { streams.reduce(0) { $0.addingSaturated($1.lostCount) } }
  public var lostEstimated: UInt64 { streams.reduce(0) { $0.addingSaturated($1.estimatedCount) } }

  /// Reads the whole session, and computes its figures and hashes.
  init(
    _ source: some SessionSource, record: SessionRecord, destinations: [String]?,
    pause: (Int) throws -> Void
  ) throws {
    self.destinations = destinations
    let events = try source.events()
    session = source.session
    streams = try StreamQuality.all(of: source, record: record, pause: pause)
    end = session.end ?? streams.compactMap(\.last).max() ?? session.start
    clock = Clock(try source.clockEntries(), at: end)
    let placements = try source.placements()
    boards = record.boards.map { [streams] board in
      let levels = events.filter { $0.kind == .battery && $0.board == board.address }
        .compactMap(\.value)
      let firmware = streams.filter { $0.stream.board.address == board.address }
        .flatMap(\.firmware).filter { !$0.isEmpty }.unique
      let settings = events.filter { $0.kind == .settings && $0.board == board.address }
        .map(\.text).unique
      return Board(
        identity: board, placement: placements[board.address] ?? "",
        firmware: firmware.isEmpty && !board.firmware.isEmpty ? [board.firmware] : firmware,
        battery: levels.first.flatMap { first in levels.last.map { (first, $0) } },
        settings: settings)
    }
    track = try Track(source, expected: record.fixCount)
    tasks = TaskLog(events, until: session.end).turns
    isImported = events.contains { $0.kind == .imported }
    hasUnknownLosses = try source.hasUnknownLosses()
    // A store adds these events when it deletes or sets aside chunks. A copy sent earlier does not
    // contain them.
    var lasting = record
    lasting.events.removeAll { $0.kind == .dropped || $0.kind == .damaged }
    descriptionHash = Hexadecimal.text(BLAKE2b.hash(of: lasting.encoded.span))
  }
}

extension Certificate.Clock {
  fileprivate init(_ entries: [ClockTable.Entry], at end: BootTime) {
    table = ClockTable(entries)
    pairs = entries.count
    let satellites = ClockTable(entries.filter { $0.source == .satellites })
    let system = ClockTable(entries.filter { $0.source == .synchronised })
    if let one = system.utc(at: end), let other = satellites.utc(at: end) {
      systemAhead = Double(one.nanoseconds &- other.nanoseconds) / 1e9
    }
  }
}

extension Certificate.Track {
  fileprivate init(_ source: some SessionSource, expected: Int) throws {
    var running = BLAKE2b.Running()
    while true {
      let page = try source.fixes(from: fixes, limit: TrackPiece.capacity)
      guard !page.isEmpty else { break }
      for fix in page {
        if let basis = fix.error?.basis { bases[basis, default: 0] += 1 }
      }
      running.add(
        TrackPiece(session: source.session.id, first: fixes, fixes: page).encoded.span)
      fixes += page.count
    }
    missing = max(0, expected - fixes)
    hash = Hexadecimal.text(running.end)
  }
}
