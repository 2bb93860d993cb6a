/// Buffers text for a sink. Bytes and numbers are appended directly, without an intermediate
/// string.
///
/// Formatting a number as a `String` takes about a hundred nanoseconds, and a row contains up to a
/// dozen numbers.
struct TextBuffer {
  /// Number of bytes that remain free after each appended text, which is more than the numbers in a
  /// row need. Digits are stored eight at a time, even if fewer are used.
  private static let reserve = 4_096
  private static let capacity = 128 * 1_024

  /// The buffer, of which the first `count` bytes contain text.
  private var bytes: [UInt8]
  private(set) var count = 0

  /// Creates a buffer for rows of at most this many bytes.
  init(rowSize: Int) {
    self.init(capacity: Self.capacity + rowSize)
  }

  init(capacity: Int = Self.capacity) {
    bytes = [UInt8](repeating: 0, count: capacity)
  }

  static var small: TextBuffer { TextBuffer(capacity: 2 * reserve) }

  /// Whether the buffer must be flushed before the next row, which might otherwise make it grow.
  var isFull: Bool { count > Self.capacity - 2 * Self.reserve }

  var contents: [UInt8] { Array(bytes[..<count]) }

  /// Returns the text that a closure appends.
  static func text(_ append: (inout TextBuffer) -> Void) -> String {
    var buffer = small
    append(&buffer)
    return String(decoding: buffer.contents, as: UTF8.self)
  }

  mutating func flush(to sink: inout some ByteSink & ~Copyable) throws {
    guard count > 0 else { return }
    try sink.write(bytes.span.extracting(..<count))
    count = 0
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    bytes[count] = byte
    count += 1
  }

  mutating func append(_ text: [UInt8]) {
    if count + text.count > bytes.count - Self.reserve { grow(by: text.count) }
    // Safety: there is space for the text after `count`, and an array that is being modified shares
    // no memory with another array.
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyBytes(from: text)
    }
    count += text.count
  }

  mutating func append(_ text: String) {
    let length = text.utf8.count
    if count + length > bytes.count - Self.reserve { grow(by: length) }
    for byte in text.utf8 { append(byte) }
  }

  @inline(__always)
  mutating func appendComma() {
    append(UInt8(ascii: ","))
  }

  /// Appends nanoseconds as seconds, rounded to microseconds.
  @inline(__always)
  mutating func append(seconds nanoseconds: Int64) {
    append((nanoseconds &+ (nanoseconds < 0 ? -500 : 500)) / 1_000, decimals: 6)
  }

  /// Appends an integer in units of 10^-`decimals`, as in `-12.345000`, with at most 8 decimal
  /// places.
  @inline(__always)
  mutating func append(_ units: Int64, decimals: Int) {
    if units < 0 { append(UInt8(ascii: "-")) }
    let power = DecimalDigits.power(decimals)
    let whole = units.magnitude / power
    append(digitsOf: whole)
    append(UInt8(ascii: "."))
    append(
      digitsOf: UInt32(truncatingIfNeeded: units.magnitude &- whole &* power), count: decimals)
  }

  /// Appends a value, rounded to `decimals` decimal places with ties to even. Appends nothing if
  /// the value is not finite.
  @inline(__always)
  mutating func append(_ value: Double, decimals: Int) {
    let power = Double(DecimalDigits.power(decimals))
    let product = value * power
    var units = product.rounded(.toNearestOrEven)
    if (product - units).magnitude == 0.5 {
      // Rounding may have turned the product of value and power into an exact tie. The rounding
      // error shows on which side of the tie the exact value is.
      let error = (-product).addingProduct(value, power)
      if error != 0 { units = product.rounded(error > 0 ? .up : .down) }
    }
    if units.magnitude < 9e18 {
      append(Int64(units), decimals: decimals)
    } else if value.isFinite {
      append(value.description)
    }
  }

  /// Appends a value with the fewest digits that read back as the same value, such as `0.1` or
  /// `1e-05`. Appends nothing if the value is not finite.
  mutating func append(exactly value: Double) {
    guard value.isFinite else { return }
    // Boards compute floating-point values in 32 bits, so the additional digits of a 64-bit number
    // would be meaningless.
    let short = Float(value)
    append(Double(short) == value ? short.description : value.description)
  }

  /// Appends exactly `count` digits, at most 8, with leading zeros.
  @inline(__always)
  mutating func append(digitsOf value: UInt32, count: Int) {
    store(
      (DecimalDigits.values(value) &+ DecimalDigits.zeros) >> UInt64(8 * (8 - count)), count: count)
  }

  /// Appends an integer without leading zeros.
  @inline(__always)
  mutating func append(digitsOf value: UInt64) {
    guard value < 100_000_000 else { return append(manyDigitsOf: value) }
    let digits = DecimalDigits.values(UInt32(truncatingIfNeeded: value))
    // Zero is written as one digit.
    let leading = min(7, digits.trailingZeroBitCount >> 3)
    store((digits &+ DecimalDigits.zeros) >> UInt64(8 * leading), count: 8 - leading)
  }

  private mutating func append(manyDigitsOf value: UInt64) {
    let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
    append(digitsOf: high)
    append(digitsOf: UInt32(low), count: 8)
  }

  /// Stores eight bytes, the lowest first. Only the first `count` of them become part of the text.
  @inline(__always)
  private mutating func store(_ digits: UInt64, count length: Int) {
    let place = count
    count += length
    var span = bytes.mutableSpan
    // Safety: an array of bytes may contain any values, and `storeBytes` checks the bounds.
    var raw = unsafe span.mutableBytes
    raw.storeBytes(of: digits.littleEndian, toByteOffset: place, as: UInt64.self)
  }

  private mutating func grow(by length: Int) {
    bytes += [UInt8](repeating: 0, count: max(length + Self.reserve, bytes.count))
  }
}
