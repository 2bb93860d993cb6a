internal import ChunkFormat
public import Recording
public import Storage
public import Values

/// Fills the cache with the pyramids of a session, a few chunks at a time, so that a thread can do
/// other work between steps.
///
/// After the last step, the cache contains all pyramids that any zoom level of the session needs.
public struct EnvelopeWarming: Sendable {
  public let session: UniqueID
  private var streams: [StoredStream]?
  /// Sequence number of the last chunk that was read from the first remaining stream; `nil` before
  /// its first chunk.
  private var sequence: UInt32?

  public init(session: UniqueID) {
    self.session = session
  }

  /// Reads the next chunks of the session, and decodes the chunks that are not in the cache. A step
  /// of 32 chunks takes a few milliseconds. Returns whether more chunks remain.
  public mutating func step(
    chunks count: Int = 32, _ reader: borrowing StoreReader, _ cache: inout EnvelopeCache
  ) throws(StoreError) -> Bool {
    guard cache.isKeeping else { return false }
    var rest: [StoredStream]
    if let streams { rest = streams } else { rest = try reader.streams(of: session) }
    guard let stream = rest.first else { return false }
    let page = try reader.chunks(of: stream, after: sequence, limit: max(1, count))
    let known = cache.pyramids(of: page.map(\.id))
    var fresh: [(chunk: UniqueID, bytes: [UInt8])] = []
    for (stored, bytes) in zip(page, known) where bytes == nil {
      let place = ChunkPlace(
        session: session, board: stream.board.address, signal: stream.description.signal,
        sequence: stored.sequence)
      guard case .success(let chunk) = try reader.chunk(stored.id, at: place, of: stream)
      else { continue }
      fresh.append((stored.id, ChunkPyramid(of: chunk).encoded(at: place)))
    }
    cache.keep(fresh)
    sequence = page.last?.sequence
    if page.count < max(1, count) {
      rest.removeFirst()
      sequence = nil
    }
    streams = rest
    return !rest.isEmpty
  }
}
