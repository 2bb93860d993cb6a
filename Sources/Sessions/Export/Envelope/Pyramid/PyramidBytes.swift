/// Writes numbers as bytes, least significant byte first.
struct PyramidWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }
}

/// Reads numbers from bytes. Beyond the end, it returns zeros and sets `isExhausted`.
struct PyramidReader {
  private let bytes: [UInt8]
  private var offset = 0
  private(set) var isExhausted = false

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { offset == bytes.count && !isExhausted }

  mutating func next<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
    let size = Number.bitWidth / 8
    guard bytes.count - offset >= size else {
      isExhausted = true
      return 0
    }
    var number: Number = 0
    for position in 0..<size {
      number |= Number(truncatingIfNeeded: bytes[offset + position]) << Number(8 * position)
    }
    offset += size
    return number
  }
}
