internal import Recording
internal import Values

/// The place of a chunk in a store. The bytes of a pyramid are valid at one place only, since an
/// undamaged chunk in the wrong row would assign one board's samples to another board.
struct ChunkPlace: Hashable {
  var session: UniqueID
  var board: BoardAddress
  var signal: String
  var sequence: UInt32

  /// Whether a chunk belongs here, by the same rule as in exports.
  func fits(_ chunk: Chunk, axisCount: Int) -> Bool {
    chunk.session == session && chunk.sequence == sequence && chunk.board.address == board
      && chunk.stream.signal == signal && chunk.stream.axisCount == axisCount
  }

  /// Bytes that are unique to this place.
  var bytes: [UInt8] {
    var writer = PyramidWriter()
    writer.append(session.high)
    writer.append(session.low)
    writer.append(board.value)
    writer.append(sequence)
    return writer.bytes + Array(signal.utf8)
  }
}
