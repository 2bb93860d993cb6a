public import Values

/// One sentence with a correct checksum. The address and fields are stored in a fixed buffer,
/// without allocation.
///
/// Field 0 is the address, such as `GNRMC`. Later fields are numbered as in the standard.
public struct Sentence: ~Copyable, Sendable {
  /// Maximum number of bytes after `$`, including the checksum. The standard allows far fewer, but
  /// real position sentences reach 93 bytes, and proprietary sentences exceed 140.
  static let capacity = 254
  /// Maximum number of fields for which the end positions are recorded. Any further fields are
  /// ignored. The longest sentence parsed here, GSA with 24 satellites, has 31 fields.
  static let fieldCapacity = 40

  /// Arrival time of the sentence's first byte.
  public internal(set) var arrival = BootTime(nanoseconds: 0)
  /// Number of fields, including the address.
  public private(set) var fieldCount = 0
  /// Whether the sentence started with `!`, like the AIS messages from ships.
  public private(set) var isEncapsulated = false

  /// The sentence's text, followed by each field's end position. This is an array of fixed length,
  /// allocated once, because indexing an `InlineArray` in place copies all of it.
  private var bytes = [UInt8](repeating: 0, count: capacity + fieldCapacity)
  private(set) var count = 0

  init() {}

  /// The characters before the first comma, such as `GNRMC`.
  public var address: String {
    var text = ""
    for position in range(0) { text.unicodeScalars.append(Unicode.Scalar(self[position])) }
    return text
  }

  /// Returns whether a field is empty or missing from the sentence.
  public func isEmpty(_ field: Int) -> Bool {
    range(field).isEmpty
  }

  /// Returns the byte of a one-byte field, or `nil` for any other field.
  func letter(_ field: Int) -> UInt8? {
    let range = range(field)
    return range.count == 1 ? self[range.lowerBound] : nil
  }

  /// Returns the range of a field's bytes; empty if the sentence does not contain the field.
  @inline(__always)
  func range(_ field: Int) -> Range<Int> {
    guard field < fieldCount else { return 0..<0 }
    let place = Self.capacity + field
    let start = field == 0 ? 0 : Int(bytes[place - 1]) + 1
    return start..<Int(bytes[place])
  }

  @inline(__always)
  subscript(position: Int) -> UInt8 { bytes[position] }

  /// Returns up to eight bytes of a field as one number, with the last byte lowest. Returns 0 if
  /// the field is longer.
  func word(_ field: Int) -> UInt64 {
    let range = range(field)
    guard range.count <= 8 else { return 0 }
    return characters(from: range.lowerBound).byteSwapped >> UInt64(64 - 8 * range.count)
  }

  /// Returns the eight bytes at a position as a word, with the first in the lowest byte. The buffer
  /// has space for eight more bytes after the text.
  @inline(__always)
  func characters(from position: Int) -> UInt64 {
    bytes.span.littleEndianWord(at: position)
  }

  // MARK: Filling

  mutating func clear(arrival: BootTime, isEncapsulated: Bool) {
    self.arrival = arrival
    self.isEncapsulated = isEncapsulated
    count = 0
    fieldCount = 0
  }

  /// Appends one byte to the sentence. Returns `false` if the buffer is full.
  @inline(__always)
  mutating func append(_ byte: UInt8) -> Bool {
    guard count < Self.capacity else { return false }
    if byte == UInt8(ascii: ",") { endField() }
    bytes[count] = byte
    count += 1
    return true
  }

  /// Copies bytes from `start` up to the first character that ends or damages a sentence, or until
  /// the buffer is full. Returns the index at which copying stopped. Most of the text is copied
  /// eight bytes at a time, and the end byte by byte.
  mutating func append(_ text: Span<UInt8>, from start: Int, sum: inout UInt8) -> Int {
    let room = text.extracting(start..<start + min(text.count - start, Self.capacity - count))
    let begin = count
    var taken = 0
    var fields = fieldCount
    var sums: UInt64 = 0
    var length = 8
    do {
      var bytes = bytes.mutableSpan
      while length == 8, taken <= room.count &- 8 {
        let word = room.littleEndianWord(at: taken)
        length = word.fieldTextLength
        let place = begin &+ taken
        // The character at which copying stops and the bytes after it are overwritten by later
        // bytes.
        bytes.storeLittleEndianWord(word, at: place)
        let characters = word.firstCharacters(length)
        sums ^= characters
        var commas = characters.commas
        while commas != 0, fields < Self.fieldCapacity - 1 {
          let comma = place &+ commas.trailingZeroBitCount / 8
          bytes[Self.capacity &+ fields] = UInt8(truncatingIfNeeded: comma)
          fields &+= 1
          commas &= commas &- 1
        }
        taken &+= length
      }
    }
    fieldCount = fields
    count = begin &+ taken
    sum ^= sums.foldedByte
    guard length == 8 else { return start &+ taken }
    while taken < room.count, room[taken].isFieldText {
      sum ^= room[taken]
      _ = append(room[taken])
      taken &+= 1
    }
    return start &+ taken
  }

  /// Records that a field ends before the next byte.
  @inline(__always)
  private mutating func endField() {
    guard fieldCount < Self.fieldCapacity - 1 else { return }
    bytes[Self.capacity + fieldCount] = UInt8(truncatingIfNeeded: count)
    fieldCount += 1
  }

  /// Removes the checksum, so that the text ends before the `*` at `star`. `commas` is the number
  /// of commas before that position.
  mutating func finish(before star: Int, commas: Int) {
    count = star
    bytes[Self.capacity + commas] = UInt8(truncatingIfNeeded: star)
    fieldCount = commas + 1
  }
}

extension UInt8 {
  /// Whether the byte is a character from comma to tilde.
  fileprivate var isFieldText: Bool { (0x2c...0x7e).contains(self) }
}
