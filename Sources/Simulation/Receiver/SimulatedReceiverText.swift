internal import Values

/// Formats values for sentences.
enum SimulatedReceiverText {
  /// Returns a complete sentence: start, body, checksum and line end.
  static func sentence(_ body: String) -> [UInt8] {
    let sum = body.utf8.reduce(0, ^)
    let digits = String(sum, radix: 16, uppercase: true)
    return Array("$\(body)*\(sum < 16 ? "0" : "")\(digits)\r\n".utf8)
  }

  /// Formats the time as `hhmmss.ss` and the date as `ddmmyy`.
  static func timeAndDate(_ instant: UTCTime) -> (time: String, date: String) {
    let (year, month, day, nanosecondOfDay) = instant.calendar
    let hundredths = Int(nanosecondOfDay / 10_000_000)
    let seconds = hundredths / 100
    let time =
      pad(seconds / 3_600, 2) + pad(seconds / 60 % 60, 2) + pad(seconds % 60, 2) + "."
      + pad(hundredths % 100, 2)
    return (time, pad(day, 2) + pad(month, 2) + pad(year % 100, 2))
  }

  /// Formats a coordinate as degrees and minutes with five decimal places, then the hemisphere's
  /// letter.
  static func coordinate(
    _ degrees: Double, degreeDigits: Int, letters: (positive: String, negative: String)
  ) -> String {
    // The value is computed in units of the last digit written, so that 59.999999 minutes are
    // rounded up to a degree.
    let units = Int((abs(degrees) * 6_000_000).rounded())
    let minutes = units % 6_000_000
    return pad(units / 6_000_000, degreeDigits) + pad(minutes / 100_000, 2) + "."
      + pad(minutes % 100_000, 5) + "," + (degrees < 0 ? letters.negative : letters.positive)
  }

  static func decimal(_ value: Double, places: Int) -> String {
    let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
    let units = Int((abs(value) * Double(scale)).rounded())
    let sign = value < 0 && units > 0 ? "-" : ""
    return sign + String(units / scale) + "." + pad(units % scale, places)
  }

  private static func pad(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
