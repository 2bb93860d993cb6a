internal import UploadProtocol
public import Recording
public import Values

/// Reads a session from a folder, for an export. Missing or damaged chunks become gaps.
public final class FolderSession: SessionSource {
  public let record: SessionRecord
  public let missingChunks: [SessionRecord.ChunkEntry]
  public let missingFixes: Int

  private let reader: FolderReader
  /// The chunks of each stream that were in the folder when the session was opened.
  private let present: [[SessionRecord.ChunkEntry]]
  /// The stored pieces of the track, each with its first fix number and the number of fixes stored
  /// before it.
  private let pieces: [(first: Int, before: Int)]
  private let fixCount: Int
  /// The piece that was read last, cached because an export reads consecutive pages.
  private var latest: TrackPiece?

  /// Opens the session with this id; `nil` if the folder does not contain its record.
  public convenience init?(_ id: UniqueID, in folder: String) throws(StoreError) {
    try self.init(id, in: try FolderReader(folder: folder))
  }

  public init?(_ id: UniqueID, in reader: FolderReader) throws(StoreError) {
    guard let record = try reader.record(of: id) else { return nil }
    self.record = record
    self.reader = reader
    present = record.streams.map { $0.chunks.filter { reader.has($0.id) } }
    missingChunks = record.streams.flatMap { $0.chunks.filter { !reader.has($0.id) } }
    // Every piece except the last is full, so only the last one needs to be read.
    var pieces: [(first: Int, before: Int)] = []
    var count = 0
    let firsts = try reader.trackPieces(of: id).filter { $0 < record.fixCount }
    for first in firsts {
      pieces.append((first, count))
      count +=
        first == firsts.last
        ? try reader.track(of: id, from: first)?.fixes.count ?? 0 : TrackPiece.capacity
    }
    self.pieces = pieces
    fixCount = count
    missingFixes = max(0, record.fixCount - count)
  }

  public var session: Session { record.session }

  /// Returns the session's streams, in the order in which they were recorded.
  public func streams() -> [SourceStream] {
    let boards = Dictionary(uniqueKeysWithValues: record.boards.map { ($0.address, $0) })
    return zip(record.streams, present).map { stream, chunks in
      SourceStream(
        board: boards[stream.board]
          ?? BoardIdentity(address: stream.board, name: "", model: "", firmware: ""),
        description: stream.description,
        sampleCount: chunks.reduce(0) { $0 + $1.sampleCount }, lastSequence: stream.lastSequence)
    }
  }

  /// Returns the first chunk after `sequence`. A chunk that cannot be read is returned without
  /// bytes.
  public func chunk(
    ofStream position: Int, after sequence: UInt32?
  ) throws(StoreError) -> SourceChunk? {
    let chunks = present[position]
    // A binary search, since the chunks are in order and a long session has thousands of them.
    var (next, end) = (0, chunks.count)
    while let sequence, next < end {
      let middle = (next + end) / 2
      if chunks[middle].sequence > sequence { end = middle } else { next = middle + 1 }
    }
    guard next < chunks.count else { return nil }
    var bytes: [UInt8]?
    do throws(StoreError) {
      bytes = try reader.bytes(ofChunk: chunks[next].id)
    } catch {
      // An unreadable disk block, or a folder in place of the file, affects only this chunk: the
      // export reports it and continues.
      guard [.other, .damaged].contains(error.kind) else { throw error }
    }
    return SourceChunk(chunks[next], bytes: bytes ?? [])
  }

  /// Returns the number of samples, including lost samples, in the record's chunks whose sequence
  /// numbers are in this range.
  public func missingSamples(ofStream position: Int, in places: ClosedRange<UInt32>) -> UInt64? {
    record.streams[position].samples(in: places)
  }

  /// Returns the sequence number of a chunk that precedes all samples from `time` onwards.
  public func sequence(ofStream position: Int, before time: BootTime) -> UInt32? {
    // A refitted clock may date a chunk slightly before the end of the previous chunk.
    let limit = time.advanced(bySeconds: -1)
    return present[position].last { $0.first <= limit }.flatMap {
      $0.sequence > 0 ? $0.sequence - 1 : nil
    }
  }

  public func placements() -> [BoardAddress: String] { record.placements }

  /// Returns fixes in order of arrival; missing fixes are skipped.
  public func fixes(from first: Int, limit: Int) throws(StoreError) -> [Fix] {
    var fixes: [Fix] = []
    var next = first
    while fixes.count < limit, next < fixCount {
      guard let place = pieces.last(where: { $0.before <= next }) else { break }
      if latest?.first != place.first {
        latest = try reader.track(of: session.id, from: place.first)
      }
      guard let piece = latest?.fixes else { break }
      let part = piece.dropFirst(next - place.before).prefix(limit - fixes.count)
      guard !part.isEmpty else { break }
      fixes += part
      next += part.count
    }
    return fixes
  }

  /// Returns the clock entries that date the session.
  public func clockEntries() -> [ClockTable.Entry] { record.clock }

  public func hazards() -> [Hazard] { record.hazards }

  public func annotations() -> [Annotation] { record.annotations }

  public func events() -> [SessionEvent] { record.events }
}
