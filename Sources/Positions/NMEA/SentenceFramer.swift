public import Values

/// Finds the sentences in a stream of bytes, which may arrive in pieces of any size.
///
/// When binary data or the next sentence interrupts a sentence, only that sentence is lost, because
/// `$` always starts a new one. The framer does not skip the frames of binary protocols by their
/// length: noise could imitate such a frame, and 64 kB of valid sentences would be lost.
public struct SentenceFramer: ~Copyable, Sendable {
  /// The last sentence found. Valid only immediately after `accept` returns `true`.
  public private(set) var sentence = Sentence()
  /// Counts of refused lines and stray bytes. `NMEAReader` adds the accepted and ignored sentences.
  public internal(set) var counts = SentenceCounts()

  /// The framer's state within the stream.
  private enum Place: Sendable {
    /// At the start of a line. Any state may follow.
    case lineStart
    /// In a line of text that began without `$`. Next: `sentence`, `skipped`, `lineStart`.
    case text
    /// In ignored data: binary data, a comment, or the rest of a refused sentence. Next:
    /// `sentence`, `lineStart`.
    case skipped
    /// Within a sentence, after its `$`. Next: `lineStart`, `skipped`, or `sentence` again.
    case sentence
  }

  private var place = Place.lineStart
  /// XOR checksum of the bytes since `$`.
  private var sum: UInt8 = 0
  /// Position of the last `*` in the sentence, or -1 if there was none. `starSum` and `starFields`
  /// are the checksum and the number of commas before it.
  private var star = -1
  private var starSum: UInt8 = 0
  private var starFields = 0

  public init() {}

  /// Reads bytes that arrived at `arrival`, from `position` to the end of the next intact sentence,
  /// and moves `position` past that sentence. Returns `true` if it found one.
  ///
  /// Nearly all bytes of a sentence precede the checksum, so they are read in a fast loop.
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

  /// Reads one byte that arrived at `arrival`. Returns `true` if the byte ended an intact sentence.
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

  /// Verifies the sentence's checksum and removes it. If the checksum is missing or incorrect,
  /// counts the fault and returns `false`.
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
