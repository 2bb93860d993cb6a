internal import ChunkFormat
internal import Export
internal import Recording
internal import Storage

/// A session in a store as exports see it: what is committed, and behind it what stands in the tail.
///
/// Chunks that are stored later are not seen, so that an export of a session which is being
/// recorded comes to an end.
struct StoredSession: ~Copyable, SessionSource {
  let session: Session
  private let reader: StoreReader
  private let stored: [StoredStream]
  /// The last chunk of each stream, which may have been set aside; `nil` for a stream without any.
  private let last: [UInt32?]
  /// The chunks of each stream that are in the tail alone.
  private let open: [[Chunk]]
  /// How many fixes are in the store, and those that are in the tail alone.
  private let fixCount: Int
  private let openFixes: [Fix]
  private let entries: [ClockTable.Entry]

  /// The session with this id; `nil` if the store has none.
  static func find(_ id: UniqueID, in path: String) throws(StoreError) -> StoredSession? {
    let tail = try StoreTail(store: path)
    let reader = try StoreReader(path: path)
    guard let session = try reader.sessions().first(where: { $0.id == id }) else { return nil }
    let stored = try reader.streams(of: id)
    var last: [UInt32?] = []
    for stream in stored { last.append(try reader.lastSequence(of: stream)) }
    let isOpen = tail.session == id
    let open = zip(stored, last).map { stream, last in
      !isOpen
        ? []
        : tail.chunks.filter { chunk in
          chunk.board.address == stream.board.address
            && chunk.stream.signal == stream.description.signal
            && last.map { chunk.sequence > $0 } ?? true
        }
    }
    let fixCount = try reader.fixCount(of: id)
    let newest = try reader.fixes(of: id, from: max(0, fixCount - 1), limit: 1).last?.arrival
    let entries = try reader.clockEntries(of: id)
    return StoredSession(
      session: session, reader: reader, stored: stored, last: last, open: open,
      fixCount: fixCount,
      openFixes: isOpen
        ? tail.fixes.filter { fix in newest.map { fix.arrival > $0 } ?? true } : [],
      entries: entries + (isOpen ? tail.entries.filter { !entries.contains($0) } : []))
  }

  private init(
    session: Session, reader: consuming StoreReader, stored: [StoredStream], last: [UInt32?],
    open: [[Chunk]], fixCount: Int, openFixes: [Fix], entries: [ClockTable.Entry]
  ) {
    self.session = session
    self.reader = reader
    self.stored = stored
    self.last = last
    self.open = open
    self.fixCount = fixCount
    self.openFixes = openFixes
    self.entries = entries
  }

  func streams() -> [SourceStream] {
    stored.indices.map { position in
      SourceStream(
        board: stored[position].board, description: stored[position].description,
        sampleCount: open[position].reduce(stored[position].sampleCount) { $0 + $1.count },
        lastSequence: open[position].last?.sequence ?? last[position])
    }
  }

  func chunk(ofStream position: Int, after sequence: UInt32?) throws -> SourceChunk? {
    guard let last = last[position], sequence.map({ $0 < last }) ?? true else {
      let next = open[position].first { chunk in sequence.map { chunk.sequence > $0 } ?? true }
      return next.map {
        SourceChunk(sequence: $0.sequence, sampleCount: $0.count, bytes: $0.encoded())
      }
    }
    let next = try reader.chunks(of: stored[position], after: sequence, limit: 1).first
    guard let next, next.sequence <= last else {
      // The last ones in the store were set aside meanwhile.
      return try chunk(ofStream: position, after: last)
    }
    var bytes: [UInt8] = []
    do throws(StoreError) {
      bytes = try reader.bytes(ofChunk: next.id)
    } catch {
      // A page the disk gives back damaged costs its chunk: without bytes the export reports it as
      // damaged and goes on.
      guard error.kind == .damaged else { throw error }
    }
    return SourceChunk(
      sequence: next.sequence, sampleCount: next.sampleCount, bytes: bytes)
  }

  func sequence(ofStream position: Int, before time: BootTime) throws -> UInt32? {
    // A clock that was fitted anew may date a chunk a little before the end of the one before it.
    let found = try reader.sequence(
      of: stored[position], beginningBy: time.advanced(bySeconds: -1))
    return found.flatMap { $0 > 0 ? $0 - 1 : nil }
  }

  func fixes(from first: Int, limit: Int) throws -> [Fix] {
    let stored =
      first < fixCount
      ? try reader.fixes(of: session.id, from: first, limit: min(limit, fixCount - first)) : []
    let behind = openFixes.dropFirst(max(0, first - fixCount))
    return stored + behind.prefix(limit - stored.count)
  }

  func clockEntries() throws -> [ClockTable.Entry] {
    entries
  }

  func placements() throws -> [BoardAddress: String] { try reader.placements(of: session.id) }

  func hazards() throws -> [Hazard] { try reader.hazards(of: session.id) }

  func annotations() throws -> [Annotation] { try reader.annotations(of: session.id) }

  func events() throws -> [SessionEvent] { try reader.events(of: session.id) }
}
