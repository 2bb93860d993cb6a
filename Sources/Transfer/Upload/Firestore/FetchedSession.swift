public import Recording
public import Values

/// A session read back from the compact layout, in the form that exports read.
public struct FetchedSession: SessionSource {
  public let record: SessionRecord
  public let track: [Fix]
  /// Bytes of the chunks that were found.
  private let chunks: [UniqueID: [UInt8]]
  /// Chunks that were not found.
  public let missingChunks: [FirestoreLibrary.MissingChunk]
  /// Fixes of the track that were not found.
  public let missingFixes: [MissingFixes]

  init(
    record: SessionRecord, track: [Fix], chunks: [UniqueID: [UInt8]],
    missingChunks: [FirestoreLibrary.MissingChunk] = [], missingFixes: [MissingFixes] = []
  ) {
    self.record = record
    self.track = track
    self.chunks = chunks
    self.missingChunks = missingChunks
    self.missingFixes = missingFixes
  }

  public var session: Session { record.session }

  /// In the order of the record.
  public func streams() -> [SourceStream] { record.sourceStreams }

  /// The next chunk of a stream, among the chunks that were found.
  public func chunk(ofStream position: Int, after sequence: UInt32?) -> SourceChunk? {
    let entries = record.streams[position].chunks
    // Sequences rise, and a day has thousands of them.
    var (low, high) = (0, entries.count)
    while let sequence, low < high {
      let middle = (low + high) / 2
      if entries[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
    }
    for entry in entries[low...] {
      if let bytes = chunks[entry.id] {
        return SourceChunk(entry, bytes: bytes)
      }
    }
    return nil
  }

  /// Samples in these chunks, as listed in the record.
  public func missingSamples(ofStream position: Int, in places: ClosedRange<UInt32>) -> UInt64? {
    record.streams[position].samples(in: places)
  }

  public func placements() -> [BoardAddress: String] { record.placements }

  /// Fixes in order of arrival.
  public func fixes(from first: Int, limit: Int) -> [Fix] {
    Array(track.dropFirst(first).prefix(limit))
  }

  public func clockEntries() -> [ClockTable.Entry] { record.clock }

  /// Hazards reported during the session.
  public func hazards() -> [Hazard] { record.hazards }

  public func annotations() -> [Annotation] { record.annotations }

  public func events() -> [SessionEvent] { record.events }
}
