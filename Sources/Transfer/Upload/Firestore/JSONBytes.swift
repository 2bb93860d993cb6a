internal import Values

/// The bytes of JSON to be sent in a request.
struct JSONBytes: Hashable, Sendable {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 0) {
    bytes.reserveCapacity(capacity)
  }

  mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// Appends fields as a JSON object.
  mutating func append(_ fields: [FirestoreField]) {
    append("{")
    for (position, field) in fields.enumerated() {
      if position > 0 { append(",") }
      append(quoted: field.name)
      append(":")
      field.value.append(to: &self)
    }
    append("}")
  }

  /// Appends a number with the fewest digits needed to read back the same number. JSON cannot
  /// represent infinity or NaN, so the database's names for these values are written instead.
  mutating func append(number value: Double) {
    if value.isFinite {
      append(value.description)
    } else {
      append(value.isNaN ? #""NaN""# : value < 0 ? #""-Infinity""# : #""Infinity""#)
    }
  }

  /// Appends a number given in units of 10^-`decimals`. If `trims` is true, trailing zeros are
  /// omitted except for the first decimal, as in `12.5` or `3.0`.
  mutating func append(units: Int64, decimals: Int, trims: Bool = true) {
    if units < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = units.magnitude
    // The digits are produced from last to first. A 64-bit number has at most 20.
    var places = decimals
    while trims, places > 1, rest % 10 == 0 {
      rest /= 10
      places -= 1
    }
    let start = bytes.count
    var written = 0
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
      written += 1
      if written == places { bytes.append(UInt8(ascii: ".")) }
    } while rest > 0 || written <= places
    bytes[start...].reverse()
  }

  mutating func append(quoted text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        append(#"\u00"#)
        append(Hexadecimal.text([byte]))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
