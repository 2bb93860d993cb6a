public import Values

/// One sentence with a correct checksum: address and fields in a fixed buffer, without allocation.
///
/// Field 0 is the address, such as `GNRMC`; the fields after it are numbered as in the standard.
public struct Sentence: ~Copyable, Sendable {
  /// Most bytes after `$`, including the checksum. The standard allows far fewer, but real position
  /// sentences reach 93 and proprietary ones over 140.
  static let capacity = 254
  /// Maximum number of recorded field ends; the longest sentence read here, GSA of 24 satellites,
  /// has 31 fields. Further fields are not used.
  static let fieldCapacity = 40

  /// Arrival of its first byte.
  public internal(set) var arrival = BootTime(nanoseconds: 0)
  /// Number of fields, including the address.
  public private(set) var fieldCount = 0
  /// Whether it began with `!`: a ship's message (AIS) in the form of a sentence.
  public private(set) var isEncapsulated = false

  /// The text, followed by the end of each field. An array of a fixed length, allocated once:
  /// indexing an `InlineArray` in place copies all of it.
  private var bytes = [UInt8](repeating: 0, count: capacity + fieldCapacity)
  private(set) var count = 0

  init() {}

  /// The letters before the first comma, such as `GNRMC`.
  public var address: String {
    var text = ""
    for position in range(0) { text.unicodeScalars.append(Unicode.Scalar(self[position])) }
    return text
  }

  /// Whether a field is empty or was not sent.
  public func isEmpty(_ field: Int) -> Bool {
    range(field).isEmpty
  }

  /// The byte of a field with exactly one; otherwise `nil`.
  func letter(_ field: Int) -> UInt8? {
    let range = range(field)
    return range.count == 1 ? self[range.lowerBound] : nil
  }

  /// The range of a field's bytes; empty for a field that was not sent.
  @inline(__always)
  func range(_ field: Int) -> Range<Int> {
    guard field < fieldCount else { return 0..<0 }
    let place = Self.capacity + field
    let start = field == 0 ? 0 : Int(bytes[place - 1]) + 1
    return start..<Int(bytes[place])
  }

  @inline(__always)
  subscript(position: Int) -> UInt8 { bytes[position] }

  /// Up to eight bytes of a field as one number, the last byte lowest; 0 for a longer field.
  func word(_ field: Int) -> UInt64 {
    let range = range(field)
    guard range.count <= 8 else { return 0 }
    return characters(from: range.lowerBound).byteSwapped >> UInt64(64 - 8 * range.count)
  }

  /// Eight bytes, the first in the lowest place. After the text there is room for as many.
  @inline(__always)
  func characters(from position: Int) -> UInt64 {
    bytes.span.littleEndianWord(at: position)
  }

  // MARK: Filled by the framer

  mutating func clear(arrival: BootTime, isEncapsulated: Bool) {
    self.arrival = arrival
    self.isEncapsulated = isEncapsulated
    count = 0
    fieldCount = 0
  }

  /// Adds one byte; `false` if there is no room.
  @inline(__always)
  mutating func append(_ byte: UInt8) -> Bool {
    guard count < Self.capacity else { return false }
    if byte == UInt8(ascii: ",") { endField() }
    bytes[count] = byte
    count += 1
    return true
  }

  /// Copies bytes from `start` up to the first framing character, or until full; returns the index
  /// at which it stopped. It takes eight bytes at a time, and single ones at the end of the text.
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
        // The framing character and the bytes after it are replaced by the next ones.
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

  /// Records the end of a field before the next byte.
  @inline(__always)
  private mutating func endField() {
    guard fieldCount < Self.fieldCapacity - 1 else { return }
    bytes[Self.capacity + fieldCount] = UInt8(truncatingIfNeeded: count)
    fieldCount += 1
  }

  /// Removes the checksum: the text ends before `star`, with as many commas as counted up to there.
  mutating func finish(before star: Int, commas: Int) {
    count = star
    bytes[Self.capacity + commas] = UInt8(truncatingIfNeeded: star)
    fieldCount = commas + 1
  }
}

extension UInt8 {
  /// Whether it is one of the characters from the comma to the tilde.
  fileprivate var isFieldText: Bool { (0x2c...0x7e).contains(self) }
}
