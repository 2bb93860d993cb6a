internal import Recording
internal import Values

/// Neighbouring chunks in an object that are read with one request, because a request takes as long
/// as transferring many chunks.
struct SealedStretch: Sendable {
  /// The maximum number of unneeded bytes that may be read between two chunks.
  private static let widestGap = 64 << 10
  /// A stretch's maximum size in bytes, unless a single chunk is larger.
  private static let largest = 2 << 20

  private(set) var chunks: [SealedChunk]
  private var range: Range<Int>

  private init(_ chunk: SealedChunk) {
    chunks = [chunk]
    range = chunk.range
  }

  /// Groups chunks into stretches. The chunks may be in several objects.
  static func stretches(of chunks: [SealedChunk]) -> [SealedStretch] {
    var stretches: [SealedStretch] = []
    for chunk in chunks.sorted(by: {
      ($0.object, $0.range.lowerBound) < ($1.object, $1.range.lowerBound)
    }) {
      if let last = stretches.indices.last, stretches[last].take(chunk) { continue }
      stretches.append(SealedStretch(chunk))
    }
    return stretches
  }

  /// Adds the next chunk to the stretch if it is close enough. Returns `true` if it was added.
  private mutating func take(_ chunk: SealedChunk) -> Bool {
    let end = max(range.upperBound, chunk.range.upperBound)
    guard chunk.object == chunks[0].object,
      chunk.range.lowerBound - range.upperBound <= Self.widestGap,
      end - range.lowerBound <= Self.largest
    else { return false }
    chunks.append(chunk)
    range = range.lowerBound..<end
    return true
  }

  /// Reads the stretch. Returns each chunk's bytes, or the error for that chunk.
  func results() async -> [UniqueID: Result<[UInt8], StoreError>] {
    var results: [UniqueID: Result<[UInt8], StoreError>] = [:]
    do throws(StoreError) {
      let bytes = try await chunks[0].read(range)
      for chunk in chunks { results[chunk.id] = part(of: bytes, chunk) }
    } catch {
      // A truncated object may still contain some of the chunks.
      let isEachAlone = error.kind == .damaged && chunks.count > 1
      for chunk in chunks {
        results[chunk.id] = isEachAlone ? await chunk.result() : .failure(error)
      }
    }
    return results
  }

  private func part(of bytes: [UInt8], _ chunk: SealedChunk) -> Result<[UInt8], StoreError> {
    let first = chunk.range.lowerBound - range.lowerBound
    do throws(StoreError) {
      return .success(try chunk.checked(Array(bytes[first..<first + chunk.range.count])))
    } catch {
      return .failure(error)
    }
  }
}
