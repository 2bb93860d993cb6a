internal import ChunkFormat
public import Recording
public import Storage
public import Values

/// Fills the cache with the pyramids of a session, a few chunks at a time, so that a thread can do
/// it between other work.
///
/// After the last step, the session can be zoomed at the cost of a warm cache.
public struct EnvelopeWarming: Sendable {
  public let session: UniqueID
  private var streams: [StoredStream]?
  /// The latest chunk read of the first remaining stream.
  private var sequence: UInt32?

  /// A warming before its first step.
  public init(session: UniqueID) {
    self.session = session
  }

  /// Reads the next chunks of the session and decodes those not in the cache; 32 take some
  /// milliseconds. Returns whether more remain.
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
      guard case .chunk(let chunk) = try StretchChunk(stored.id, at: place, of: stream, reader)
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
