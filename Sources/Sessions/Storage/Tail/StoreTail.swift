internal import ChunkFormat
public import Recording
public import Values

/// The contents of a store's tail, for readers of a session that is being recorded or was cut off.
/// After a cut it is there until the store is opened for recording.
public struct StoreTail: Sendable {
  /// The part of one session.
  private struct Part {
    var session: UniqueID
    /// Chunks that are open, and others that may be in the store too, in the order of their
    /// streams' sequence.
    var chunks: [Chunk]
    /// Fixes, of which the first may be in the store too.
    var fixes: [Fix]
    /// Clock entries, some of which may be in the store too.
    var entries: [ClockTable.Entry]
    /// Events, some of which may be in the store too.
    var events: [SessionEvent]
    /// When the recorder was there last without anything to write.
    var alive: BootTime?
  }

  private var parts: [Part] = []

  /// The chunks of all sessions in it: those that are open, and others that may be in the store
  /// too.
  public var chunks: [Chunk] { parts.flatMap(\.chunks) }

  /// The chunks of one session in it.
  func chunks(of session: UniqueID) -> [Chunk] {
    parts.first { $0.session == session }?.chunks ?? []
  }

  /// The last instant of a session of which it has something; `nil` where it has nothing.
  func lastTime(of session: UniqueID) -> BootTime? {
    guard let part = parts.first(where: { $0.session == session }) else { return nil }
    let times = [part.fixes.last?.arrival, part.events.map(\.time).max(), part.alive]
    return (part.chunks.compactMap(\.arrivals.last) + times.compactMap(\.self)).max()
  }

  /// None.
  public init() {}

  /// Reads the tail of the store at `path`. Read it before the store: what a recorder moves from
  /// one to the other meanwhile is then in both, and not in neither.
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
  /// What the tail has of a session beyond what the store has.
  public struct Rest: Sendable {
    /// The streams of the session, as the store has them.
    public var streams: [StoredStream]
    /// The last chunk of each in the store, which may have been set aside; `nil` for a stream
    /// without any.
    public var lastSequences: [UInt32?]
    /// The chunks of each that are in the tail alone, in their order.
    public var chunks: [[Chunk]]
    /// Fixes that are in the tail alone.
    public var fixes: [Fix]
    /// How many are in the store.
    public var storedFixes: Int
    /// The clock entries that date it.
    public var entries: [ClockTable.Entry]

    /// Events that are in the tail alone.
    public var events: [SessionEvent]
    /// When the recorder was there last without anything to write.
    var alive: BootTime?

    /// The latest arrival of a sample or a fix, or time of an event; `nil` where there are none.
    public var lastTime: BootTime? {
      let samples = chunks.compactMap { chunks in chunks.last { $0.count > 0 }?.arrivals.last }
      return (samples + [fixes.last?.arrival, events.map(\.time).max(), alive].compactMap(\.self))
        .max()
    }
  }

  /// Compares the tail with the store, which was opened after it was read.
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
    if !StoreLock.isHeld(store: reader.database.path) {
      try rest.countAbsences(events: stored + rest.events, of: id, reader)
    }
    return rest
  }
}

extension StoreTail.Rest {
  /// Counts what boards did not send that were away when the recorder was cut off.
  fileprivate mutating func countAbsences(
    events: [SessionEvent], of session: UniqueID, _ reader: borrowing StoreReader
  ) throws(StoreError) {
    let end = max(try reader.lastTime(of: session), lastTime ?? BootTime(nanoseconds: 0))
    let stored = try reader.database.newestChunks(of: session)
    for (position, stream) in streams.enumerated() {
      let newest =
        chunks[position].last { $0.count > 0 }
        ?? stored.first {
          $0.board.address == stream.board.address && $0.stream.signal == stream.description.signal
        }
      guard var absence = newest?.absence(events: events, until: end) else { continue }
      let last = chunks[position].last?.sequence ?? lastSequences[position]
      absence.sequence = last.map { $0 + 1 } ?? 0
      chunks[position].append(absence)
    }
  }
}
