public import Recording
public import Values

/// A session that was read back from a compact layout, as exports see it.
public struct FetchedSession: SessionSource {
  /// Its record.
  public let record: SessionRecord
  /// Its track.
  public let track: [Fix]
  /// The bytes of its chunks, those that were found.
  private let chunks: [UniqueID: [UInt8]]

  init(record: SessionRecord, track: [Fix], chunks: [UniqueID: [UInt8]]) {
    self.record = record
    self.track = track
    self.chunks = chunks
  }

  /// The session.
  public var session: Session { record.session }

  /// Its streams, in the order of the record.
  public func streams() -> [SourceStream] {
    record.streams.map { stream in
      SourceStream(
        board: record.boards.first { $0.address == stream.board }
          ?? BoardIdentity(address: stream.board, name: "", model: "", firmware: ""),
        description: stream.description,
        sampleCount: stream.chunks.reduce(0) { $0 + $1.sampleCount },
        lastSequence: stream.lastSequence)
    }
  }

  /// The next chunk of a stream that was found.
  public func chunk(ofStream position: Int, after sequence: UInt32?) -> SourceChunk? {
    let entries = record.streams[position].chunks
    // Sequences rise; a day has thousands of them.
    var (low, high) = (0, entries.count)
    while let sequence, low < high {
      let middle = (low + high) / 2
      if entries[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
    }
    for entry in entries[low...] {
      if let bytes = chunks[entry.id] {
        return SourceChunk(
          sequence: entry.sequence, sampleCount: entry.sampleCount, lostCount: entry.lostCount,
          bytes: bytes)
      }
    }
    return nil
  }

  /// Samples of chunks that its record lists.
  public func missingSamples(ofStream position: Int, in places: ClosedRange<UInt32>) -> UInt64? {
    record.streams[position].samples(in: places)
  }

  /// Where boards were worn.
  public func placements() -> [BoardAddress: String] { record.placements }

  /// Fixes in order of arrival.
  public func fixes(from first: Int, limit: Int) -> [Fix] {
    Array(track.dropFirst(first).prefix(limit))
  }

  /// All clock entries.
  public func clockEntries() -> [ClockTable.Entry] { record.clock }

  /// The hazards that people reported.
  public func hazards() -> [Hazard] { record.hazards }

  /// The annotations.
  public func annotations() -> [Annotation] { record.annotations }

  /// Things that happened.
  public func events() -> [SessionEvent] { record.events }
}
