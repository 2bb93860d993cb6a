/// The beginning of a chunk, for finding chunks among other bytes.
public enum ChunkSignature {
  /// The first bytes of every chunk.
  public static let magic = ChunkLayout.magic
  /// Bytes at the beginning that identify a chunk and its length.
  public static let size = ChunkLayout.prologueSize

  /// Length of the chunk that begins with these bytes, at least `size` of them; `nil` if no chunk
  /// does.
  public static func length(of bytes: [UInt8]) -> Int? {
    guard bytes.count >= size, bytes.starts(with: magic), goesOn(bytes, at: 0, behind: 0),
      let length = try? length(bytes.span),
      length >= size + ChunkLayout.footerSize
    else { return nil }
    return length
  }

  /// Whether a chunk can continue at this offset when the first `known` bytes of its magic were
  /// found elsewhere.
  public static func goesOn(_ bytes: [UInt8], at place: Int, behind known: Int) -> Bool {
    let rest = magic[known...]
    let version = place + rest.count
    guard version + 4 <= bytes.count, bytes[place..<version].elementsEqual(rest) else {
      return false
    }
    // The version and the number of sections are small, so their second bytes are zero.
    return bytes[version] == ChunkLayout.version && bytes[version + 1] == 0
      && bytes[version + 2] > 0 && bytes[version + 3] == 0
  }

  private static func length(_ bytes: Span<UInt8>) throws(ByteCursor.EndOfBytes) -> Int {
    var cursor = ByteCursor(offset: size - 4)
    return Int(try cursor.next(UInt32.self, in: bytes))
  }
}
