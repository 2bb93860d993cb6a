/// How a chunk begins, for finding chunks among other bytes.
public enum ChunkSignature {
  /// The first bytes of every chunk.
  public static let magic = ChunkLayout.magic
  /// How many bytes from its beginning on say that it is a chunk, and how long.
  public static let size = ChunkLayout.prologueSize

  /// Bytes of the chunk that begins with these, of which there are `size`; `nil` if none does.
  public static func length(of bytes: [UInt8]) -> Int? {
    guard bytes.count >= size, bytes.starts(with: magic), goesOn(bytes, at: 0, behind: 0),
      let length = try? length(bytes.span),
      length >= size + ChunkLayout.footerSize
    else { return nil }
    return length
  }

  /// Whether a chunk of which the first `known` bytes of its magic stood elsewhere can go on at a
  /// place.
  public static func goesOn(_ bytes: [UInt8], at place: Int, behind known: Int) -> Bool {
    let rest = magic[known...]
    let version = place + rest.count
    guard version + 4 <= bytes.count, bytes[place..<version].elementsEqual(rest) else {
      return false
    }
    // The version and the number of sections are small, and their second bytes zero.
    return bytes[version] == ChunkLayout.version && bytes[version + 1] == 0
      && bytes[version + 2] > 0 && bytes[version + 3] == 0
  }

  private static func length(_ bytes: Span<UInt8>) throws(ByteCursor.EndOfBytes) -> Int {
    var cursor = ByteCursor(offset: size - 4)
    return Int(try cursor.next(UInt32.self, in: bytes))
  }
}
