internal import Recording
internal import Storage
internal import Values

extension StoreReader {
  /// Reads a stored chunk. If the chunk cannot be used, the reason is worded as in an export.
  func chunk(
    _ id: UniqueID, at place: ChunkPlace, of stream: StoredStream
  ) throws(StoreError) -> Result<Chunk, UnusableChunk> {
    var bytes: [UInt8] = []
    do throws(StoreError) {
      bytes = try self.bytes(ofChunk: id)
    } catch {
      switch error.kind {
      // A damaged page of the database affects only the chunks stored on it.
      case .damaged: break
      // The chunk was deleted to free space after it was listed.
      case .unknown: return .failure(UnusableChunk(reason: MissingChunks.absence))
      default: throw error
      }
    }
    return Result { () throws(UnusableChunk) in
      try place.chunk(bytes, axisCount: stream.description.axisCount)
    }
  }
}
