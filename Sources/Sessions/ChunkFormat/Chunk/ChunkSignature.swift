/// Recognizes the start of a chunk among other data.
public enum ChunkSignature {
  /// The bytes that begin every chunk.
  public static let magic = ChunkLayout.magic
  /// The version of the chunk format that this program writes.
  public static let version = Int(ChunkLayout.version)
  /// Number of bytes needed to identify a chunk and its length.
  public static let size = ChunkLayout.prologueSize

  /// Whether the bytes are a chunk that matches its checksums and its content hash. The samples are
  /// not decoded.
  public static func isIntact(_ bytes: Span<UInt8>) -> Bool {
    (try? ChunkFrame(bytes)) != nil
  }

  /// Returns the length of the chunk that starts with these bytes; `nil` if they are not the start
  /// of a chunk. At least `size` bytes are needed.
  public static func length(of bytes: [UInt8]) -> Int? {
    guard bytes.count >= size, bytes.starts(with: magic), goesOn(bytes, at: 0, behind: 0),
      let length = try? length(bytes.span),
      length >= size + ChunkLayout.footerSize
    else { return nil }
    return length
  }

  /// Whether the bytes at this offset may be the continuation of a chunk. The first `known` bytes
  /// of its magic number are stored elsewhere.
  public static func goesOn(_ bytes: [UInt8], at place: Int, behind known: Int) -> Bool {
    let rest = magic[known...]
    let version = place + rest.count
    guard version + 4 <= bytes.count, bytes[place..<version].elementsEqual(rest) else {
      return false
    }
    // The version and the number of sections are both below 256, so their second bytes are zero.
    return bytes[version] == ChunkLayout.version && bytes[version + 1] == 0
      && bytes[version + 2] > 0 && bytes[version + 3] == 0
  }

  private static func length(_ bytes: Span<UInt8>) throws(ByteCursor.EndOfBytes) -> Int {
    var cursor = ByteCursor(offset: size - 4)
    return Int(try cursor.next(UInt32.self, in: bytes))
  }
}
