public import Recording
internal import SQLite
public import Values

/// Finds positions in a stream without reading the whole stream.
extension StoreReader {
  /// Returns the sequence number of a stream's last chunk whose first sample is not later than
  /// `time`; `nil` if there is none.
  public func sequence(
    of stream: StoredStream, beginningBy time: BootTime
  ) throws(StoreError) -> UInt32? {
    // The search starts at the end of the index, since the chunk is usually a recent one. Earlier
    // chunks are not read.
    return try database.first(
      """
      SELECT sequence FROM chunk WHERE stream = ? AND first_ns <= ?
      ORDER BY sequence DESC LIMIT 1
      """, [stream.number, time]
    ) { row in row.sequence(0) }
  }
}
