public import Recording

/// Finds sentences in a stream of bytes, one byte at a time, so chunks may be cut anywhere.
///
/// Binary between sentences, or a sentence cut short by the next one, costs that sentence and no
/// other: `$` always starts again.
public struct SentenceFramer: ~Copyable, Sendable {
  /// The sentence found last; whole only right after `accept` said so.
  public private(set) var sentence = Sentence()
  /// What was found and refused so far.
  public internal(set) var counts = SentenceCounts()
  private var isInside = false

  /// A framer that waits for its first `$`.
  public init() {}

  /// Takes one byte that arrived at `arrival`; `true` when it ended an intact sentence.
  public mutating func accept(_ byte: UInt8, at arrival: BootTime) -> Bool {
    switch byte {
    case UInt8(ascii: "$"):
      if isInside { counts.count(.interrupted) }
      begin(at: arrival)
    case UInt8(ascii: "!") where !isInside:
      // Messages of ships, framed alike; their types are not ours.
      begin(at: arrival)
    case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
      guard isInside else { return false }
      isInside = false
      return endsIntact()
    case 0x20...0x7e where isInside:
      if !sentence.append(byte) { refuse(.overlong) }
    case _ where isInside:
      refuse(.notPrintable)
    default:
      counts.strayBytes += 1
    }
    return false
  }

  private mutating func begin(at arrival: BootTime) {
    sentence.clear(arrival: arrival)
    isInside = true
  }

  private mutating func refuse(_ fault: SentenceFault) {
    counts.count(fault)
    isInside = false
  }

  /// Checks the sum and, when it is right, takes the checksum off and splits the fields.
  private mutating func endsIntact() -> Bool {
    let end = sentence.count
    guard let star = (0..<end).last(where: { sentence[$0] == UInt8(ascii: "*") }),
      end - star > 2
    else {
      counts.count(.missingChecksum)
      return false
    }
    guard end - star == 3, let high = hexadecimalDigit(sentence[star + 1]),
      let low = hexadecimalDigit(sentence[star + 2])
    else {
      counts.count(.malformedChecksum)
      return false
    }
    var sum: UInt8 = 0
    for position in 0..<star { sum ^= sentence[position] }
    guard sum == high << 4 | low else {
      counts.count(.wrongChecksum)
      return false
    }
    sentence.split(length: star)
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
