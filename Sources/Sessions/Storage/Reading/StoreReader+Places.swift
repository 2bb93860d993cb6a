public import Recording
internal import SQLite
public import Values

/// A place in a stream, which saves a reader from reading all of the stream.
extension StoreReader {
  /// The sequence of the last chunk of a stream whose first sample is not later than `time`; `nil`
  /// if there is none.
  public func sequence(
    of stream: StoredStream, beginningBy time: BootTime
  ) throws(StoreError) -> UInt32? {
    // From the end of the index: the chunk is mostly a recent one, and earlier chunks are not read.
    return try database.first(
      """
      SELECT sequence FROM chunk WHERE stream = ? AND first_ns <= ?
      ORDER BY sequence DESC LIMIT 1
      """, [stream.number, time]
    ) { row in row.sequence(0) }
  }
}
