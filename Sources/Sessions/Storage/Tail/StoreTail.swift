internal import ChunkFormat
public import Recording
internal import SQLite
public import Values

/// The contents of a store's tail, for readers of an open or interrupted session. After an
/// interruption, the tail remains until a recorder, or a command that needs all data, recovers it.
public struct StoreTail: Sendable {
  /// The data in the tail for one session.
  private struct Part {
    var session: UniqueID
    /// Open chunks, and chunks that the store may also contain, ordered by sequence number within
    /// each stream.
    var chunks: [Chunk]
    /// The session's fixes. The store may also contain the first of them.
    var fixes: [Fix]
    /// The session's clock entries. The store may also contain some of them.
    var entries: [ClockTable.Entry]
    /// The session's events. The store may also contain some of them.
    var events: [SessionEvent]
    /// Time of the last record that only shows that the recorder was running; `nil` if there is
    /// none.
    var alive: BootTime?
  }

  private var parts: [Part] = []

  /// The chunks of all sessions in the tail: open chunks, and chunks that the store may also
  /// contain.
  public var chunks: [Chunk] { parts.flatMap(\.chunks) }

  func chunks(of session: UniqueID) -> [Chunk] {
    parts.first { $0.session == session }?.chunks ?? []
  }

  /// Returns the latest time for which the tail contains data for a session; `nil` if it contains
  /// none.
  public func lastTime(of session: UniqueID) -> BootTime? {
    guard let part = parts.first(where: { $0.session == session }) else { return nil }
    let times = [part.fixes.last?.arrival, part.events.map(\.time).max(), part.alive]
    return (part.chunks.compactMap(\.arrivals.last) + times.compactMap(\.self)).max()
  }

  /// Returns a session's fixes in the tail. The store may also contain the first of them.
  func fixes(of session: UniqueID) -> [Fix] {
    parts.first { $0.session == session }?.fixes ?? []
  }

  public init() {}

  /// Reads the tail of the store at `path`. Read the tail before the store. Otherwise, records that
  /// a recorder moves to the store in the meantime would be missed.
  public init(store path: String) throws(StoreError) {
    for tail in try LeftTails(store: path).tails {
      let content = tail.content
      let chunks = try content.chunks(fixes: content.fixes) { _ throws(StoreError) in true }.chunks
      parts.append(
        Part(
          session: tail.session, chunks: chunks, fixes: content.fixes, entries: content.entries,
          events: content.events, alive: content.alive))
    }
  }
}

extension StoreTail {
  /// The part of a session's data that exists only in the tail, not in the store.
  public struct Rest: Sendable {
    /// The session's streams in the store.
    public var streams: [StoredStream]
    /// The sequence number of each stream's last chunk in the store, even if that chunk was set
    /// aside; `nil` for a stream without chunks.
    public var lastSequences: [UInt32?]
    /// The chunks of each stream that exist only in the tail, in order.
    public var chunks: [[Chunk]]
    public var fixes: [Fix]
    public var storedFixes: Int
    /// The clock entries that date the session.
    public var entries: [ClockTable.Entry]

    public var events: [SessionEvent]
    /// Time of the last record that only shows that the recorder was running; `nil` if there is
    /// none.
    var alive: BootTime?

    /// The latest time at which data arrived, an event occurred, or the recorder wrote that it was
    /// running; `nil` if there is none.
    public var lastTime: BootTime? {
      let samples = chunks.compactMap { chunks in chunks.last { $0.count > 0 }?.arrivals.last }
      return (samples + [fixes.last?.arrival, events.map(\.time).max(), alive].compactMap(\.self))
        .max()
    }
  }

  /// Compares the tail with the store. The reader must be opened after the tail has been read.
  public func rest(
    of id: UniqueID, behind reader: borrowing StoreReader
  ) throws(StoreError) -> Rest {
    let streams = try reader.streams(of: id)
    var last: [UInt32?] = []
    for stream in streams { last.append(try reader.lastSequence(of: stream)) }
    let fixCount = try reader.fixCount(of: id)
    let part = parts.first { $0.session == id }
    var rest = Rest(
      streams: streams, lastSequences: last, chunks: streams.map { _ in [] }, fixes: [],
      storedFixes: fixCount,
      entries: try reader.datingEntries(of: id, tail: part?.entries ?? []), events: [])
    guard let part else { return rest }
    rest.chunks = zip(streams, last).map { stream, last in
      part.chunks.filter { chunk in
        chunk.board.address == stream.board.address
          && chunk.stream.signal == stream.description.signal
          && last.map { chunk.sequence > $0 } ?? true
      }
    }
    let newest = try reader.fixes(of: id, from: max(0, fixCount - 1), limit: 1).last?.arrival
    rest.fixes = part.fixes.filter { fix in newest.map { fix.arrival > $0 } ?? true }
    let stored = try reader.events(of: id)
    let known = Set(stored)
    rest.events = part.events.filter { !known.contains($0) }
    rest.alive = part.alive
    // A recorder counts the losses of a silent board when the board sends again, or when the
    // session ends. Until then, the number is an estimate, as after an interruption.
    switch StoreLock.purpose(store: reader.database.path) {
    case .recording, nil: try rest.countAbsences(events: stored + rest.events, of: id, reader)
    case .takingInTail, .receiving, .changing, .backingUp: break
    }
    return rest
  }
}

extension StoreTail.Rest {
  /// Counts the missing samples of boards that are absent now, or were absent when the recorder was
  /// interrupted.
  fileprivate mutating func countAbsences(
    events: [SessionEvent], of session: UniqueID, _ reader: borrowing StoreReader
  ) throws(StoreError) {
    let end = max(try reader.lastTime(of: session), lastTime ?? BootTime(nanoseconds: 0))
    let stored = try reader.database.newestChunks(of: session)
    for (position, stream) in streams.enumerated() where chunks[position].last?.count != 0 {
      let kept = stored.first {
        $0.chunk.board.address == stream.board.address
          && $0.chunk.stream.signal == stream.description.signal
      }
      let newest = chunks[position].last { $0.count > 0 } ?? kept?.chunk
      guard
        var absence = newest?.absence(
          events: events, until: end, after: kept?.absences.last?.gaps.map(\.end).max())
      else { continue }
      let last = chunks[position].last?.sequence ?? lastSequences[position]
      absence.sequence = last.map { $0 + 1 } ?? 0
      chunks[position].append(absence)
    }
  }
}
