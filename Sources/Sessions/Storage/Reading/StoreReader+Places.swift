public import Recording
public import Values

/// A place in a stream, which saves a reader from reading all of the stream.
extension StoreReader {
  /// The sequence of the last chunk of a stream whose first sample is not later than `time`; `nil`
  /// if there is none.
  public func sequence(
    of stream: StoredStream, beginningBy time: BootTime
  ) throws(StoreError) -> UInt32? {
    // From the end of the index: the chunk is mostly a recent one, and earlier chunks are not read.
    var query = try database.prepare(
      """
      SELECT sequence FROM chunk WHERE stream = ? AND first_ns <= ?
      ORDER BY sequence DESC LIMIT 1
      """, doing: "read")
    try query.bind(stream.number)
    try query.bind(time.nanoseconds)
    guard try query.step() else { return nil }
    return UInt32(truncatingIfNeeded: query.integer(0))
  }
}
