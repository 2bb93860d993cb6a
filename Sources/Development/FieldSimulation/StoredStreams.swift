internal import ChunkFormat
internal import Recording
internal import Storage
internal import Values

/// One of a session's streams, read from the store.
struct StoredStream {
  var board: BoardAddress
  var signal: String
  /// Each sample's three 16-bit words, in chunk order.
  var words: [UInt64] = []
  /// For each sample, the arrival time of its packet in seconds on the boot clock.
  var arrivals: [Double] = []
  /// In seconds on the boot clock.
  var times: [Double] = []
  /// The index of the first sample whose time is not later than that of the previous sample; `nil`
  /// if all times increase.
  var fallen: Int?
  var lastTime: BootTime?
  var gaps: [Gap] = []
  var rate: Double
  /// The number of chunks that could not be decoded.
  var damaged = 0

  var lost: UInt64 { gaps.reduce(0) { $0 + $1.lost } }

  /// Reads a session's streams from the store at a path. Samples in the tail are included.
  static func all(of session: UniqueID, in path: String) throws -> [StoredStream] {
    guard let source = try StoredSession.find(session, in: path) else { return [] }
    let listed = source.streams()
    return try listed.indices.map { position in
      let outline = listed[position]
      var stream = StoredStream(
        board: outline.board.address, signal: outline.description.signal,
        rate: outline.description.rate)
      var last: UInt32?
      while let next = try source.chunk(ofStream: position, after: last) {
        last = next.sequence
        guard let chunk = try? Chunk(decoding: next.bytes.span) else {
          stream.damaged += 1
          continue
        }
        stream.take(chunk)
      }
      return stream
    }
  }

  static func fixes(of session: UniqueID, in path: String) throws -> [Fix] {
    try StoredSession.find(session, in: path)?.fixes(from: 0, limit: .max) ?? []
  }

  private mutating func take(_ chunk: Chunk) {
    gaps += chunk.gaps
    guard chunk.columns.count == 3 else { return }
    for index in 0..<chunk.count {
      var words: UInt64 = 0
      for axis in 0..<3 {
        words |=
          UInt64(UInt16(bitPattern: Int16(truncatingIfNeeded: chunk.columns[axis][index])))
          << (16 * axis)
      }
      let time = chunk.time(at: index)
      if let lastTime, time <= lastTime, fallen == nil { fallen = self.words.count }
      lastTime = time
      self.words.append(words)
      times.append(Double(time.nanoseconds) / 1e9)
      arrivals.append(Double(chunk.arrivals[index].nanoseconds) / 1e9)
    }
  }
}
