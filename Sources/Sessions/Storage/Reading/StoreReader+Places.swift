public import Recording
internal import SQLite
public import Values

/// A place in a stream, so that a reader need not read the whole stream.
extension StoreReader {
  /// The sequence of the last chunk of a stream whose first sample is not later than `time`; `nil`
  /// if there is none.
  public func sequence(
    of stream: StoredStream, beginningBy time: BootTime
  ) throws(StoreError) -> UInt32? {
    // From the end of the index: the chunk is usually a recent one, and earlier chunks are not
    // read.
    return try database.first(
      """
      SELECT sequence FROM chunk WHERE stream = ? AND first_ns <= ?
      ORDER BY sequence DESC LIMIT 1
      """, [stream.number, time]
    ) { row in row.sequence(0) }
  }
}
