public import Values

/// Finds sentences in a stream of bytes, one byte at a time, so chunks may be cut anywhere.
///
/// Binary between sentences, or a sentence cut short by the next one, costs that sentence and no
/// other: `$` always starts again. Frames of binary protocols are not skipped by their length,
/// which noise could make up: 64 kB of good sentences would be lost for it.
public struct SentenceFramer: ~Copyable, Sendable {
  /// The sentence found last; whole only right after `accept` said so.
  public private(set) var sentence = Sentence()
  /// The sentences found and refused so far.
  public internal(set) var counts = SentenceCounts()

  /// Where in the stream it is.
  private enum Place: Sendable {
    /// At the beginning of a line. Next: anything.
    case lineStart
    /// In a line of text that began without `$`. Next: `sentence`, `skipped`, `lineStart`.
    case text
    /// In something that is not looked at: binary, a comment, what follows a refused start.
    /// Next: `sentence`, `lineStart`.
    case skipped
    /// Behind `$`. Next: anything.
    case sentence
  }

  private var place = Place.lineStart
  /// Sum of the bytes since `$`.
  private var sum: UInt8 = 0
  /// The last `*`: where it was, the sum before it, and the fields ended by then; -1 if there was
  /// none.
  private var star = -1
  private var starSum: UInt8 = 0
  private var starFields = 0

  /// A framer that waits for its first `$`.
  public init() {}

  /// Takes bytes that arrived at `arrival`, from `position` up to the end of the next intact
  /// sentence, and moves `position` after them; `true` when there is such a sentence.
  ///
  /// A sentence goes through a quick loop, since nearly all bytes are inside one.
  public mutating func accept(
    _ bytes: Span<UInt8>, from position: inout Int, at arrival: BootTime
  ) -> Bool {
    while position < bytes.count {
      if place == .sentence { position = sentence.append(bytes, from: position, sum: &sum) }
      guard position < bytes.count else { return false }
      let isWhole = accept(bytes[position], at: arrival)
      position += 1
      if isWhole { return true }
    }
    return false
  }

  /// Takes one byte that arrived at `arrival`; `true` when it ended an intact sentence.
  public mutating func accept(_ byte: UInt8, at arrival: BootTime) -> Bool {
    if place == .sentence, byte >= 0x20, byte <= 0x7e, byte != UInt8(ascii: "$") {
      if byte == UInt8(ascii: "*") {
        star = sentence.count
        starSum = sum
        starFields = sentence.fieldCount
      }
      sum ^= byte
      if !sentence.append(byte) { refuse(.overlong) }
      return false
    }
    return acceptEdge(byte, at: arrival)
  }

  private mutating func acceptEdge(_ byte: UInt8, at arrival: BootTime) -> Bool {
    switch byte {
    case UInt8(ascii: "$"):
      if place == .sentence { counts.count(.interrupted) }
      begin(at: arrival, isEncapsulated: false)
    case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
      let ended = place
      place = .lineStart
      if ended == .sentence { return endsIntact() }
      if ended == .text { counts.count(.missingStart) }
    case _ where place == .sentence:
      refuse(.notPrintable)
    case UInt8(ascii: "!") where place == .lineStart:
      begin(at: arrival, isEncapsulated: true)
    default:
      counts.strayBytes += 1
      switch place {
      case .lineStart:
        let isText = byte >= 0x20 && byte <= 0x7e && byte != UInt8(ascii: "#")
        place = isText ? .text : .skipped
      case .text where byte < 0x20 || byte > 0x7e: place = .skipped
      case .text, .skipped, .sentence: break
      }
    }
    return false
  }

  private mutating func begin(at arrival: BootTime, isEncapsulated: Bool) {
    sentence.clear(arrival: arrival, isEncapsulated: isEncapsulated)
    place = .sentence
    sum = 0
    star = -1
  }

  private mutating func refuse(_ fault: SentenceFault) {
    counts.count(fault)
    place = .skipped
  }

  /// Checks the sum and, when it is right, takes the checksum off.
  private mutating func endsIntact() -> Bool {
    let end = sentence.count
    guard star >= 0, end - star > 2 else {
      counts.count(.missingChecksum)
      return false
    }
    guard end - star == 3, let high = hexadecimalDigit(sentence[star + 1]),
      let low = hexadecimalDigit(sentence[star + 2])
    else {
      counts.count(.malformedChecksum)
      return false
    }
    guard starSum == high << 4 | low else {
      counts.count(.wrongChecksum)
      return false
    }
    sentence.finish(before: star, commas: starFields)
    return true
  }

  private func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
