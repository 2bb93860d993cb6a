internal import ChunkFormat
internal import Recording
internal import Storage
internal import Values

/// A chunk read for an envelope.
enum StretchChunk {
  case chunk(Chunk)
  /// It cannot be used; the reason, in half a sentence, is worded as in an export.
  case unusable(String)

  /// Reads a stored chunk, and checks that it belongs to its place.
  init(
    _ id: UniqueID, at place: ChunkPlace, of stream: StoredStream,
    _ reader: borrowing StoreReader
  ) throws(StoreError) {
    var bytes: [UInt8] = []
    do throws(StoreError) {
      bytes = try reader.bytes(ofChunk: id)
    } catch {
      switch error.kind {
      // A damaged page loses only its chunk.
      case .damaged: break
      // It was deleted to make room after the list was read.
      case .unknown:
        self = .unusable("not in the store")
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
