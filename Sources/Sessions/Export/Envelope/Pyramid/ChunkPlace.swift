internal import Recording
internal import Values

/// The location of a chunk in a store. A pyramid's cached bytes are valid for only one location.
/// Otherwise, an undamaged chunk in the wrong row would cause one board's samples to be attributed
/// to another board.
struct ChunkPlace: Hashable {
  var session: UniqueID
  var board: BoardAddress
  var signal: String
  var sequence: UInt32

  /// Whether a chunk belongs at this location, by the same rule as in an export.
  func fits(_ chunk: Chunk, axisCount: Int) -> Bool {
    chunk.session == session && chunk.sequence == sequence && chunk.board.address == board
      && chunk.stream.signal == signal && chunk.stream.axisCount == axisCount
  }

  /// Encodes the location as a unique sequence of bytes.
  var bytes: [UInt8] {
    var writer = PyramidWriter()
    writer.append(session.high)
    writer.append(session.low)
    writer.append(board.value)
    writer.append(sequence)
    return writer.bytes + Array(signal.utf8)
  }
}
