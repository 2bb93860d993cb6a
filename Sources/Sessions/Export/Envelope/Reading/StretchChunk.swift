internal import ChunkFormat
internal import Recording
internal import Storage
internal import Values

/// The result of reading a stored chunk for an envelope: the decoded chunk, or the reason why it
/// cannot be used.
enum StretchChunk {
  case chunk(Chunk)
  /// The chunk cannot be used. The reason is worded as in an export.
  case unusable(String)

  /// Reads a stored chunk, and checks that it belongs at its location.
  init(
    _ id: UniqueID, at place: ChunkPlace, of stream: StoredStream,
    _ reader: borrowing StoreReader
  ) throws(StoreError) {
    var bytes: [UInt8] = []
    do throws(StoreError) {
      bytes = try reader.bytes(ofChunk: id)
    } catch {
      switch error.kind {
      // A damaged page of the database affects only the chunks stored on it.
      case .damaged: break
      // The chunk was deleted to free space after it was listed.
      case .unknown:
        self = .unusable(MissingChunks.absence)
        return
      default: throw error
      }
    }
    do throws(ChunkError) {
      let chunk = try Chunk(decoding: bytes.span)
      self =
        place.fits(chunk, axisCount: stream.description.axisCount)
        ? .chunk(chunk) : .unusable("belongs elsewhere")
    } catch {
      self = .unusable(error.description)
    }
  }
}
