public import Recording
public import Values

/// A session that was read back from the compact layout, in the form that exports use.
public struct FetchedSession: SessionSource {
  public let record: SessionRecord
  public let track: [Fix]
  /// The found chunks' bytes, by id.
  private let chunks: [UniqueID: [UInt8]]
  public let missingChunks: [FirestoreLibrary.MissingChunk]
  /// The ranges of fixes that were not found in the track.
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

  /// Returns the streams in the same order as in the record.
  public func streams() -> [SourceStream] { record.sourceStreams }

  /// Returns the next chunk of a stream, skipping the chunks that were not found.
  public func chunk(ofStream position: Int, after sequence: UInt32?) -> SourceChunk? {
    let entries = record.streams[position].chunks
    // A binary search works because sequence numbers increase. It is fast enough for the thousands
    // of chunks in a day's recording.
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

  /// Returns the number of samples that the record states for the chunks at these positions.
  public func missingSamples(ofStream position: Int, in places: ClosedRange<UInt32>) -> UInt64? {
    record.streams[position].samples(in: places)
  }

  public func placements() -> [BoardAddress: String] { record.placements }

  /// Returns fixes in order of arrival.
  public func fixes(from first: Int, limit: Int) -> [Fix] {
    Array(track.dropFirst(first).prefix(limit))
  }

  public func clockEntries() -> [ClockTable.Entry] { record.clock }

  public func hazards() -> [Hazard] { record.hazards }

  public func annotations() -> [Annotation] { record.annotations }

  public func events() -> [SessionEvent] { record.events }
}
