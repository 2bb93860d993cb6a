public import Values

/// Several chunks in one request body. For each chunk, the body contains its id (16 bytes), its
/// length (4 bytes, little-endian) and its bytes.
///
/// A gateway posts `body` to `path`, and the receiver splits the body again:
///
///     let sent = chunks.map { ChunkBatch.Part(id: $0.id, bytes: $0.bytes) }
///     let path = UploadPath.chunks.text
///     let body = ChunkBatch.body(of: sent)
///     let received = try ChunkBatch.parts(of: body)
public enum ChunkBatch {
  public struct Part: Hashable, Sendable {
    public var id: UniqueID
    public var bytes: [UInt8]

    public init(id: UniqueID, bytes: [UInt8]) {
      self.id = id
      self.bytes = bytes
    }
  }

  /// The reason why a body is not a valid batch.
  public enum Problem: Error, Hashable, Sendable {
    /// The body is malformed; the string gives the reason.
    case malformed(String)
    /// The body contains more than `capacity` chunks.
    case tooMany
  }

  /// Maximum number of chunks in a batch. The response contains a verdict on each chunk, so without
  /// a limit it could be many times as long as the body.
  public static let capacity = 4_096

  /// Number of bytes that precede the content of each chunk.
  private static let headerSize = 20

  /// Returns the size in bytes of a batch with chunks of these sizes.
  public static func size(ofChunks sizes: some Sequence<Int>) -> Int {
    sizes.reduce(0) { $0 + headerSize + $1 }
  }

  public static func body(of parts: [Part]) -> [UInt8] {
    var body: [UInt8] = []
    body.reserveCapacity(size(ofChunks: parts.lazy.map(\.bytes.count)))
    for part in parts {
      for word in [part.id.high, part.id.low] {
        for shift in stride(from: 56, through: 0, by: -8) {
          body.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
      }
      let count = UInt32(part.bytes.count)
      for shift in stride(from: 0, through: 24, by: 8) {
        body.append(UInt8(truncatingIfNeeded: count >> UInt32(shift)))
      }
      body += part.bytes
    }
    return body
  }

  /// Splits a body into chunks, without checking their contents.
  public static func parts(of body: [UInt8]) throws(Problem) -> [Part] {
    var parts: [Part] = []
    var offset = 0
    while offset < body.count {
      guard parts.count < capacity else { throw .tooMany }
      guard body.count - offset >= headerSize else {
        throw .malformed("the batch ends within a chunk's head")
      }
      let id = UniqueID(high: word(of: body, at: offset), low: word(of: body, at: offset + 8))
      var count = 0
      for index in 0..<4 { count |= Int(body[offset + 16 + index]) << (8 * index) }
      offset += headerSize
      guard count <= body.count - offset else {
        throw .malformed("the batch ends within chunk \(id)")
      }
      parts.append(Part(id: id, bytes: Array(body[offset..<(offset + count)])))
      offset += count
    }
    return parts
  }

  /// Reads eight bytes of an id as a number, most significant byte first.
  private static func word(of body: [UInt8], at offset: Int) -> UInt64 {
    body[offset..<(offset + 8)].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
