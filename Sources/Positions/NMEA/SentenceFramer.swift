public import Values

/// Finds sentences in a stream of bytes that may be split anywhere.
///
/// Binary data between sentences, or a sentence cut short by the next one, loses only that
/// sentence: `$` always starts a new one. Frames of binary protocols are not skipped by their
/// length, since noise could fake one and lose 64 kB of good sentences.
public struct SentenceFramer: ~Copyable, Sendable {
  /// The last sentence found; complete only right after `accept` returned `true`.
  public private(set) var sentence = Sentence()
  /// The sentences found and refused so far.
  public internal(set) var counts = SentenceCounts()

  /// The framer's state in the stream.
  private enum Place: Sendable {
    /// At the beginning of a line. Next: anything.
    case lineStart
    /// In a line of text that began without `$`. Next: `sentence`, `skipped`, `lineStart`.
    case text
    /// In ignored data: binary, a comment, or the rest after a refused start. Next: `sentence`,
    /// `lineStart`.
    case skipped
    /// After `$`. Next: anything.
    case sentence
  }

  private var place = Place.lineStart
  /// Sum of the bytes since `$`.
  private var sum: UInt8 = 0
  /// Position of the last `*`, -1 for none; then the sum before it, and the fields ended by then.
  private var star = -1
  private var starSum: UInt8 = 0
  private var starFields = 0

  /// A framer that waits for its first `$`.
  public init() {}

  /// Takes bytes that arrived at `arrival`, from `position` up to the end of the next intact
  /// sentence, and moves `position` after them. Returns `true` if there is such a sentence.
  ///
  /// The bytes before the checksum, which are nearly all, take a fast loop.
  public mutating func accept(
    _ bytes: Span<UInt8>, from position: inout Int, at arrival: BootTime
  ) -> Bool {
    while position < bytes.count {
      if place == .sentence, star < 0 {
        position = sentence.append(bytes, from: position, sum: &sum)
      }
      guard position < bytes.count else { return false }
      let isWhole = accept(bytes[position], at: arrival)
      position += 1
      if isWhole { return true }
    }
    return false
  }

  /// Takes one byte that arrived at `arrival`; `true` if it ended an intact sentence.
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

  /// Checks the sum and, if it is correct, removes the checksum.
  private mutating func endsIntact() -> Bool {
    let end = sentence.count
    guard star >= 0, end - star > 2 else {
      counts.count(.missingChecksum)
      return false
    }
    guard end - star == 3, let high = Hexadecimal.digit(sentence[star + 1]),
      let low = Hexadecimal.digit(sentence[star + 2])
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
}
