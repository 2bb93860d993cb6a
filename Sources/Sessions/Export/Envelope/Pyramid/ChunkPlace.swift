internal import ChunkFormat
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

  /// Decodes the chunk at this location. Throws an error if it is damaged or belongs elsewhere.
  func chunk(_ bytes: [UInt8], axisCount: Int) throws(UnusableChunk) -> Chunk {
    let chunk: Chunk
    do throws(ChunkError) {
      chunk = try Chunk(decoding: bytes.span)
    } catch {
      throw UnusableChunk(reason: error.description)
    }
    guard chunk.session == session, chunk.sequence == sequence, chunk.board.address == board,
      chunk.stream.signal == signal, chunk.stream.axisCount == axisCount
    else { throw .elsewhere }
    return chunk
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
