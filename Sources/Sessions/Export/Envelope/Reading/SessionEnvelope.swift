internal import ChunkFormat
public import Recording
public import Storage
public import Values

/// A query for the envelope of one stream over a time range of a session, at any zoom level.
///
///     let tail = try StoreTail(store: path)
///     let reader = try StoreReader(path: path)
///     var cache = EnvelopeCache(store: path)
///     let question = SessionEnvelope(
///       session: session.id, board: board.address, signal: "acceleration",
///       from: 0, to: 60, columns: 600)
///     let envelope = try question.read(from: reader, tail: tail, cache: &cache)
///
/// Each column covers exactly the samples that an export of its time range would contain. Times are
/// in seconds since the session's start, as in an export.
public struct SessionEnvelope: Hashable, Sendable {
  public var session: UniqueID
  public var board: BoardAddress
  public var signal: String
  public var grid: ColumnGrid

  /// Creates a query for this many columns of a time range, in seconds since the session's start.
  public init(
    session: UniqueID, board: BoardAddress, signal: String, from: Double, to: Double, columns: Int
  ) {
    self.session = session
    self.board = board
    self.signal = signal
    grid = ColumnGrid(from: from, to: to, columns: columns)
  }

  /// Reads the envelope; `nil` if the store does not contain the session or the stream.
  ///
  /// Most data comes from pyramids. A chunk is decoded only if its pyramid is not cached yet, or if
  /// a bucket spans two columns and its individual samples are needed. With a cold cache, each
  /// chunk in the time range is decoded once.
  ///
  /// - Parameter tail: the tail of the store, which contains the latest samples of a session that
  ///   is being recorded. Read the tail before this call.
  public func read(
    from reader: borrowing StoreReader, tail: StoreTail, cache: inout EnvelopeCache
  ) throws(StoreError) -> Envelope? {
    guard let session = try reader.session(session),
      let stream = try reader.streamWithoutTotals(
        of: session.id, board: board, signal: signal)
    else { return nil }
    var walk = StretchWalk(grid, of: stream, in: session)
    let last = try reader.lastSequence(of: stream)
    try readStored(upTo: last, &walk, reader, &cache)
    if !walk.isBeyond {
      let open = try tail.chunks(of: stream, in: session, after: last, behind: reader)
      for chunk in open where !walk.isBeyond { try walk.takeOpen(chunk, reader) }
      try walk.end(last: open.last?.sequence ?? last, reader)
    }
    try walk.readStraddling(reader)
    return walk.envelope
  }

  /// Number of chunks per query. A short time range of a long session needs no more.
  private static let pageSize = 64

  /// Reads the chunks in the time range, and the chunks just before and after it, since their gaps
  /// may extend into the range.
  private func readStored(
    upTo last: UInt32?, _ walk: inout StretchWalk, _ reader: borrowing StoreReader,
    _ cache: inout EnvelopeCache
  ) throws(StoreError) {
    guard let last else { return }
    let stream = walk.stream
    var place = try firstPlace(of: stream, in: walk.session, upTo: last, reader)
    walk.begin(after: place)
    while !walk.isBeyond {
      var page = try reader.chunks(of: stream, after: place, limit: Self.pageSize)
      let isLast = page.count < Self.pageSize
      page.removeAll { $0.sequence > last }
      let known = cache.pyramids(of: page.map(\.id))
      var fresh: [(chunk: UniqueID, bytes: [UInt8])] = []
      for (stored, bytes) in zip(page, known) where !walk.isBeyond {
        if let made = try walk.take(stored, bytes, reader) { fresh.append((stored.id, made)) }
      }
      cache.keep(fresh)
      guard !isLast, let next = page.last?.sequence, next < last else { return }
      place = next
    }
  }

  /// Returns the sequence number of a chunk that precedes all samples in the time range. Returns
  /// `nil` if reading must begin with the first chunk.
  ///
  /// Makes about a dozen queries, regardless of where in the session the time range begins.
  private func firstPlace(
    of stream: StoredStream, in session: Session, upTo last: UInt32,
    _ reader: borrowing StoreReader
  ) throws(StoreError) -> UInt32? {
    let time = ColumnGrid.instant(grid.first - StretchWalk.tolerance, in: session)
    var found: UInt32?
    var (lower, upper) = (UInt64(0), UInt64(last) + 1)
    while lower < upper {
      let middle = (lower + upper) / 2
      let before = middle > 0 ? UInt32(middle - 1) : nil
      let next = try reader.chunks(of: stream, after: before, limit: 1).first
      if let next, next.first <= time {
        found = next.sequence
        lower = UInt64(next.sequence) + 1
      } else {
        upper = middle
      }
    }
    return found.flatMap { $0 > 0 ? $0 - 1 : nil }
  }
}
