internal import ChunkFormat
internal import Recording

/// What no place takes from a gateway, so that all of them take the same.
enum IntakeBounds {
  /// Samples that a chunk may count as lost: those of 35 years at 8 kHz. Places add these counts up
  /// in 64 bits.
  private static let mostLost: UInt64 = 1 << 43

  /// Why a chunk is taken by no place; `nil` if it is.
  static func fault(of chunk: Chunk) -> String? {
    // Stores have the names of axes in one text.
    if chunk.stream.axes.contains(where: { $0.utf8.contains(UInt8(ascii: ",")) }) {
      return "the name of an axis has a comma"
    }
    return fault(ofLost: chunk.lostCount)
  }

  /// Why no place takes what a record says of a stream; `nil` if they do.
  static func fault(of stream: SessionRecord.Stream) -> String? {
    stream.chunks.lazy.compactMap { fault(ofLost: $0.lostCount) }.first
  }

  private static func fault(ofLost count: UInt64) -> String? {
    count > mostLost ? "\(count) samples are counted as lost, and \(mostLost) may be" : nil
  }
}
