internal import Values

/// The format of a sealed session (`docs/sealed-sessions.md`). The object contains the chunks,
/// encoded as in a batch of the upload protocol, then the session record and the pieces of the
/// track. An index of all entries follows. A footer of fixed size points to the index.
enum SealedObject {
  /// The footer's size in bytes.
  static let footerSize = 64
  /// An index entry's size in bytes.
  static let entrySize = 64
  private static let magic: [UInt8] = [0x89, 0x46, 0x42, 0x53, 0x4f, 0x0d, 0x0a, 0x1a]
  private static let version: UInt64 = 1

  /// The kinds of index entry.
  enum Kind: UInt64 {
    case chunk = 1
    /// The session's record, as JSON.
    case record = 2
    /// A piece of the session's track, as JSON.
    case track = 3
  }

  /// An index entry, which describes one chunk, record or track piece in an object.
  struct Entry: Hashable {
    /// The chunk's id, or the session's for a record or track piece.
    var id: UniqueID
    var kind: Kind
    var offset: Int
    var length: Int
    /// The SHA-256 of the entry's bytes.
    var hash: [UInt8]

    var range: Range<Int> { offset..<(offset + length) }
  }

  struct Footer: Hashable {
    var entries: Int
    var indexOffset: Int
    var indexHash: [UInt8]
    /// The whole object's size in bytes.
    var size: Int

    var index: Range<Int> { indexOffset..<(indexOffset + entries * SealedObject.entrySize) }
  }

  // MARK: Writing

  static func bytes(of entries: [Entry]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entries.count * entrySize)
    for entry in entries {
      for half in [entry.id.high, entry.id.low] { bytes += littleEndian(half.byteSwapped, 8) }
      bytes += littleEndian(UInt64(entry.offset), 8) + littleEndian(UInt64(entry.length), 4)
      bytes += littleEndian(entry.kind.rawValue, 4) + entry.hash
    }
    return bytes
  }

  static func bytes(of footer: Footer) -> [UInt8] {
    magic + littleEndian(version, 4) + littleEndian(UInt64(footer.entries), 4)
      + littleEndian(UInt64(footer.indexOffset), 8) + littleEndian(UInt64(footer.size), 8)
      + footer.indexHash
  }

  private static func littleEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  // MARK: Reading

  /// Parses the footer of an object with this size. Returns `nil` if the bytes are not a valid
  /// footer.
  static func footer(_ bytes: [UInt8], size: Int) -> Footer? {
    guard bytes.count == footerSize, Array(bytes[..<8]) == magic,
      number(bytes[8..<12]) == version,
      let entries = Int(exactly: number(bytes[12..<16])),
      let offset = Int(exactly: number(bytes[16..<24])), number(bytes[24..<32]) == UInt64(size),
      offset <= size, offset + entries * entrySize + footerSize == size
    else { return nil }
    return Footer(
      entries: entries, indexOffset: offset, indexHash: Array(bytes[32...]), size: size)
  }

  /// Parses an index's entries. Returns `nil` if an entry is invalid or refers to bytes outside the
  /// data. The data ends at offset `end`, where the index begins.
  static func entries(_ bytes: [UInt8], before end: Int) -> [Entry]? {
    guard bytes.count.isMultiple(of: entrySize) else { return nil }
    var entries: [Entry] = []
    for start in stride(from: 0, to: bytes.count, by: entrySize) {
      let part = bytes[start..<(start + entrySize)]
      func field(_ from: Int, _ count: Int) -> UInt64 {
        number(part[(start + from)..<(start + from + count)])
      }
      guard let kind = Kind(rawValue: field(28, 4)), let offset = Int(exactly: field(16, 8)),
        let length = Int(exactly: field(24, 4)), offset <= end, length <= end - offset
      else { return nil }
      entries.append(
        Entry(
          id: UniqueID(high: field(0, 8).byteSwapped, low: field(8, 8).byteSwapped), kind: kind,
          offset: offset, length: length, hash: Array(part[(start + 32)...])))
    }
    return entries
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: Names

  /// Returns the name of a session's object. The name contains the month in which the first chunk
  /// arrived at the server, because a gateway's clock may be off by years. The name of an object
  /// with data that was sealed later also contains a number.
  static func name(
    of session: UniqueID, of gateway: UniqueID, day: Int64, number: Int64
  ) -> String {
    let month = day / 100 % 100
    return "sessions/\(gateway)/\(day / 10_000)/\(month < 10 ? "0" : "")\(month)/\(session)"
      + (number > 0 ? "-\(number)" : "")
  }
}
