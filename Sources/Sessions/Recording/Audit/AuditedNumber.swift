/// A decimal number in a table, with a decimal point or a decimal comma.
struct AuditedNumber {
  var value: Double
  /// The number of digits after the point or the comma.
  var decimals = 0
  var hasComma = false
  /// Whether the number has no exponent and at most 18 digits, so that `decimals` describes its
  /// precision.
  var isPlain = true

  /// Parses a field, which may be in quotes and have spaces around it. Fails if it is not a number.
  init?(_ bytes: [UInt8], _ field: Range<Int>) {
    var (start, end) = (field.lowerBound, field.upperBound)
    while start < end, bytes[start] == 0x20 || bytes[start] == 0x22 { start += 1 }
    while start < end, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x22 { end -= 1 }
    guard start < end else { return nil }
    let isNegative = bytes[start] == UInt8(ascii: "-")
    let first = isNegative || bytes[start] == UInt8(ascii: "+") ? start + 1 : start
    var (digits, mantissa, scale, hasPoint) = (0, UInt64(0), 1.0, false)
    for place in first..<end {
      switch bytes[place] {
      case 48...57 where digits < 18:
        digits += 1
        mantissa = mantissa * 10 + UInt64(bytes[place] - 48)
        if hasPoint { (decimals, scale) = (decimals + 1, scale * 10) }
      case UInt8(ascii: "."), UInt8(ascii: ","):
        guard !hasPoint else { return nil }
        (hasPoint, hasComma) = (true, bytes[place] == UInt8(ascii: ","))
      default:
        // The number has an exponent or more digits than an integer can contain, so the standard
        // library parses it.
        let plain = bytes[start..<end].map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
        guard plain.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }),
          let value = Double(String(decoding: plain, as: UTF8.self)), value.isFinite
        else { return nil }
        self.value = value
        isPlain = false
        return
      }
    }
    guard digits > 0 else { return nil }
    let magnitude = Double(mantissa) / scale
    value = isNegative ? -magnitude : magnitude
  }
}
