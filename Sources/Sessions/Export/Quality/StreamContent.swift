internal import ChunkFormat
public import Recording
public import Values

/// The hash of a stream's content. It does not depend on where the chunks are stored, on the order
/// in which they were stored, or on whether they were sent.
///
/// `docs/certificate.md` defines the hashes, so that other programs can compute them.
public struct StreamContent: Hashable, Sendable {
  public var board: String
  public var signal: String
  /// Number of chunks that the hash covers.
  public var chunks: Int
  /// BLAKE2b of the chunks' sequence numbers and content hashes, in hexadecimal.
  public var hash: String

  /// Hashes the contents of streams: a line of text for each stream, sorted by bytes.
  public static func hash(of streams: [StreamContent]) -> String {
    let lines = streams.map { Array("\($0.board) \($0.signal) \($0.chunks) \($0.hash)\n".utf8) }
    let sorted = lines.sorted { $0.lexicographicallyPrecedes($1) }
    return Hexadecimal.text(BLAKE2b.hash(of: Array(sorted.joined()).span))
  }

  var json: JSONValue {
    [
      "board": board.json, "signal": signal.json, "chunks": chunks.json, "blake2b": hash.json,
    ]
  }

  /// Reads the contents from a description; `nil` if the description does not list them.
  public static func all(in description: JSON) -> [StreamContent]? {
    description["content"]?.list?.compactMap { json in
      guard let board = json["board"]?.text, let signal = json["signal"]?.text,
        let chunks = json["chunks"]?.integer, let hash = json["blake2b"]?.text
      else { return nil }
      return StreamContent(board: board, signal: signal, chunks: chunks, hash: hash)
    }
  }

  /// Hashes the chunks of one stream, which are added in the order of their sequence numbers.
  struct Running {
    private(set) var chunks = 0
    private var hash = BLAKE2b.Running()

    /// The caller has checked the chunk's content hash.
    mutating func add(_ sequence: UInt32, _ bytes: [UInt8]) {
      chunks += 1
      let number = (0..<4).map { UInt8(truncatingIfNeeded: sequence >> (8 * $0)) }
      hash.add(number.span)
      hash.add(Array(bytes.suffix(BLAKE2b.size)).span)
    }

    func end(_ stream: SourceStream) -> StreamContent {
      StreamContent(
        board: stream.board.address.description, signal: stream.description.signal,
        chunks: chunks, hash: Hexadecimal.text(hash.end))
    }
  }

  /// Hashes the contents of streams. Damaged chunks are left out.
  ///
  /// - Parameter pause: called for each chunk; an error that it throws ends the reading.
  public static func all(
    of source: some SessionSource, selection: ExportSelection = ExportSelection(),
    pause: () throws -> Void = {}
  ) throws -> [StreamContent] {
    var all: [StreamContent] = []
    for (position, stream) in try source.streams().enumerated() where selection.includes(stream) {
      var running = Running()
      var sequence: UInt32?
      while let stored = try source.chunk(ofStream: position, after: sequence) {
        try pause()
        sequence = stored.sequence
        if ChunkSignature.isIntact(stored.bytes.span) {
          running.add(stored.sequence, stored.bytes)
        }
      }
      all.append(running.end(stream))
    }
    return all
  }
}

/// The reason why a stored chunk cannot be used, as a phrase.
struct UnusableChunk: Error {
  let reason: String

  static let elsewhere = UnusableChunk(reason: "belongs elsewhere")
}

extension SourceChunk {
  /// Decodes the chunk. Throws an error if it is damaged, or belongs to another stream: its samples
  /// would otherwise be attributed to another board.
  func chunk(of stream: SourceStream, in session: UniqueID) throws(UnusableChunk) -> Chunk {
    let place = ChunkPlace(
      session: session, board: stream.board.address, signal: stream.description.signal,
      sequence: sequence)
    let chunk = try place.chunk(bytes, axisCount: stream.description.axisCount)
    guard entry?.describes(ReceivedChunk(bytes: [], chunk: chunk)) ?? true else { throw .elsewhere }
    return chunk
  }
}
