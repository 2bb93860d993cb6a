internal import Recording

/// Text on its way to a sink: bytes and numbers appended without a string in between.
///
/// Printing a number into a `String` costs some hundred nanoseconds; a row has up to a dozen.
struct TextBuffer {
  /// Room that is left when `isFull` is still false, more than any row needs.
  private static let reserve = 4_096
  private static let capacity = 256 * 1_024

  private var bytes: [UInt8] = []

  /// Whether it is time to flush.
  var isFull: Bool { bytes.count > Self.capacity - Self.reserve }

  /// What has been appended since the last flush.
  var contents: [UInt8] { bytes }

  /// Hands everything over.
  mutating func flush(to sink: inout some ByteSink & ~Copyable) throws {
    try sink.write(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  mutating func append(_ text: [UInt8]) {
    bytes.append(contentsOf: text)
  }

  mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  mutating func appendComma() {
    bytes.append(UInt8(ascii: ","))
  }

  /// Appends a whole number of units of 10^-`decimals`, as in `-12.345000`.
  mutating func append(_ units: Int64, decimals: Int) {
    if units < 0 { bytes.append(UInt8(ascii: "-")) }
    let (whole, fraction) = units.magnitude.quotientAndRemainder(
      dividingBy: Self.powers[decimals])
    append(digitsOf: whole)
    bytes.append(UInt8(ascii: "."))
    append(digitsOf: fraction, count: decimals)
  }

  /// Appends a value, rounded to `decimals`, halves to even; nothing if it is not a number.
  mutating func append(_ value: Double, decimals: Int) {
    let units = (value * Double(Self.powers[decimals])).rounded(.toNearestOrEven)
    if units.magnitude < 9e18 {
      append(Int64(units), decimals: decimals)
    } else if value.isFinite {
      append(value.description)
    }
  }

  /// Appends a value with as many digits as it takes to read the same one again, such as `0.1` or
  /// `1e-05`; nothing if it is not a number.
  mutating func append(exactly value: Double) {
    guard value.isFinite else { return }
    // What a board computed has 32 bits, and the double of it has digits that mean nothing.
    let short = Float(value)
    append(Double(short) == value ? short.description : value.description)
  }

  /// Appends exactly `count` digits, with zeros in front.
  mutating func append(digitsOf value: UInt64, count: Int) {
    var power = Self.powers[count - 1]
    var rest = value
    for _ in 0..<count {
      let (digit, remainder) = rest.quotientAndRemainder(dividingBy: power)
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
      rest = remainder
      power /= 10
    }
  }

  private mutating func append(digitsOf value: UInt64) {
    var count = 1
    while count < Self.powers.count, value >= Self.powers[count] { count += 1 }
    append(digitsOf: value, count: count)
  }

  private static let powers: [UInt64] = (0..<20).map { exponent in
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }
}

/// Writes instants as ISO 8601 with microseconds and keeps the date of the second it wrote last.
struct TimestampWriter {
  private var second = Int64.min
  private var prefix: [UInt8] = []

  /// Cut, not rounded, like `UTCTime.iso8601`.
  mutating func append(_ time: UTCTime, to buffer: inout TextBuffer) {
    let perSecond: Int64 = 1_000_000_000
    let rest = time.nanoseconds % perSecond
    let nanoseconds = rest < 0 ? rest + perSecond : rest
    let second = (time.nanoseconds - nanoseconds) / perSecond
    if second != self.second {
      self.second = second
      prefix = Array(time.iso8601(decimals: 0).dropLast().utf8) + [UInt8(ascii: ".")]
    }
    buffer.append(prefix)
    buffer.append(digitsOf: UInt64(nanoseconds / 1_000), count: 6)
    buffer.append(UInt8(ascii: "Z"))
  }
}
