internal import Values

/// Parses field values. A method returns `nil` or throws if a field is not exactly as expected,
/// because an eight-bit checksum lets one in 256 damaged sentences pass.
extension Sentence {
  /// Parses a whole number of up to nine digits, without a sign.
  func unsigned(_ field: Int) -> Int? {
    unsigned(in: range(field))
  }

  /// Parses a decimal number with an optional minus sign, such as `-34.2`, but no exponent.
  func decimal(_ field: Int) -> Double? {
    var range = range(field)
    let isNegative = !range.isEmpty && self[range.lowerBound] == UInt8(ascii: "-")
    if isNegative { range = range.lowerBound + 1..<range.upperBound }
    guard let magnitude = magnitude(in: range) else { return nil }
    return isNegative ? -magnitude : magnitude
  }

  func decimal(_ field: Int, in bounds: ClosedRange<Double>) -> Double? {
    guard let value = decimal(field), bounds.contains(value) else { return nil }
    return value
  }

  /// Parses a dilution of precision. Receivers that do not know it send 99.99, 99.0 or 0.00.
  func dilution(_ field: Int) -> Double? {
    guard let value = decimal(field), value > 0, value < 50 else { return nil }
    return value
  }

  /// Parses an angle in degrees from `dddmm.mmmm` in this field and a hemisphere letter in the
  /// next.
  ///
  /// Degrees and minutes are located relative to the decimal point, because some receivers omit
  /// leading zeros.
  func coordinate(
    _ field: Int, positive: Unicode.Scalar, negative: Unicode.Scalar, limit: Double
  ) -> Double? {
    var whole = 0
    var fraction = 0
    var scale = 1
    var hasPoint = false
    let range = range(field)
    // The twelfth decimal place of a minute corresponds to two nanometres. All the digits of the
    // minutes, read as one number, fit in 53 bits.
    guard !range.isEmpty, range.count <= 18 else { return nil }
    for position in range {
      if let digit = digit(at: position) {
        if hasPoint {
          fraction = fraction * 10 + digit
          scale *= 10
        } else {
          whole = whole * 10 + digit
        }
      } else if self[position] == UInt8(ascii: "."), !hasPoint, position > range.lowerBound {
        hasPoint = true
      } else {
        return nil
      }
    }
    guard whole < 100_000, scale <= 1_000_000_000_000 else { return nil }
    let minutes = Double(whole % 100 * scale + fraction) / Double(scale)
    let degrees = Double(whole / 100) + minutes / 60
    guard minutes < 60, degrees <= limit, let hemisphere = letter(field + 1) else { return nil }
    switch hemisphere {
    case UInt8(ascii: positive): return degrees
    case UInt8(ascii: negative): return -degrees
    default: return nil
    }
  }

  /// Parses a latitude in this field and the next one, and a longitude in the following two fields.
  func position(from field: Int) throws(SentenceFault) -> ParsedSentence.Position {
    guard let latitude = coordinate(field, positive: "N", negative: "S", limit: 90),
      let longitude = coordinate(field + 2, positive: "E", negative: "W", limit: 180)
    else { throw .badPosition }
    return ParsedSentence.Position(latitude: latitude, longitude: longitude)
  }

  /// Parses a time of day from `hhmmss` with up to nine decimal places. Returns `nil` if the field
  /// is empty.
  func time(_ field: Int) throws(SentenceFault) -> TimeOfDay? {
    let range = range(field)
    guard !range.isEmpty else { return nil }
    guard range.count >= 6, let digits = unsigned(in: range.lowerBound..<range.lowerBound + 6)
    else { throw .badTime }
    let (hour, minute, second) = (digits / 10_000, digits / 100 % 100, digits % 100)
    // Second 60 occurs only at the end of a day with a leap second.
    let isLeapSecond = hour == 23 && minute == 59 && second == 60
    guard hour < 24, minute < 60, second < 60 || isLeapSecond else { throw .badTime }
    var nanoseconds = 0
    if range.count > 6 {
      guard self[range.lowerBound + 6] == UInt8(ascii: "."), range.count <= 16 else {
        throw .badTime
      }
      var weight = 100_000_000
      for position in range.lowerBound + 7..<range.upperBound {
        guard let digit = digit(at: position) else { throw .badTime }
        nanoseconds += digit * weight
        weight /= 10
      }
    }
    let seconds = hour * 3_600 + minute * 60 + second
    return TimeOfDay(nanoseconds: Int64(seconds) * 1_000_000_000 + Int64(nanoseconds))
  }

  /// Parses a length in metres, with its unit in the next field.
  func metres(_ field: Int, in bounds: ClosedRange<Double>) -> Double? {
    // The unit is always metres, or empty. Any other value means that the fields are shifted.
    guard isEmpty(field + 1) || letter(field + 1) == UInt8(ascii: "M") else { return nil }
    return decimal(field, in: bounds)
  }

  /// Parses `ddmmyy` in one field and returns the start of that day.
  func shortDate(_ field: Int) -> UTCTime? {
    guard range(field).count == 6, let digits = unsigned(field) else { return nil }
    let year = digits % 100
    return .midnight(
      year: year < 69 ? 2000 + year : 1900 + year, month: digits / 100 % 100, day: digits / 10_000)
  }

  private func unsigned(in range: Range<Int>) -> Int? {
    guard !range.isEmpty, range.count <= 9 else { return nil }
    guard range.count == 9 else {
      return characters(from: range.lowerBound).decimalNumber(range.count)
    }
    let start = range.lowerBound
    guard let first = digit(at: start),
      let others = characters(from: start + 1).decimalNumber(8)
    else { return nil }
    return first * 100_000_000 + others
  }

  private func magnitude(in range: Range<Int>) -> Double? {
    // Digits are accumulated in an integer, so a value of up to 15 digits is rounded only once.
    var mantissa = 0
    var scale = 1
    var hasDigit = false
    var hasPoint = false
    guard range.count <= 18 else { return nil }
    for position in range {
      if let digit = digit(at: position) {
        mantissa = mantissa * 10 + digit
        if hasPoint { scale *= 10 }
        hasDigit = true
      } else if self[position] == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else {
        return nil
      }
    }
    return hasDigit ? Double(mantissa) / Double(scale) : nil
  }

  @inline(__always)
  private func digit(at position: Int) -> Int? {
    let value = self[position] &- UInt8(ascii: "0")
    return value < 10 ? Int(value) : nil
  }
}

extension UTCTime {
  /// Returns the start of a day, or `nil` if the date does not exist or is not from 1970 to 2200.
  static func midnight(year: Int, month: Int, day: Int) -> UTCTime? {
    guard (1970...2200).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    let time = UTCTime(year: year, month: month, day: day, nanosecondOfDay: 0)
    return time.calendar.day == day ? time : nil
  }
}
