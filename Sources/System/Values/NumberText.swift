/// Formats numbers for people.
public enum NumberText {
  /// Returns a number rounded to a fixed number of decimals, or `–` if it is infinite or NaN.
  public static func fixed(_ value: Double, decimals: Int) -> String {
    guard value.isFinite else { return "–" }
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    let scaled = (value.magnitude * scale).rounded()
    // Beyond 2^53, a Double has no fractional part to show.
    guard scaled < 9e15 else { return value.description }
    let digits = String(Int64(scaled))
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    // A number that rounds to zero is shown without a sign.
    let sign = value < 0 && scaled > 0 ? "-" : ""
    let whole = padded.dropLast(decimals)
    return sign + whole + (decimals > 0 ? "." + padded.suffix(decimals) : "")
  }

  /// Returns a count's magnitude, with commas between groups of three digits.
  public static func grouped(_ count: some BinaryInteger) -> String {
    var text = ""
    for (position, digit) in String(count.magnitude).reversed().enumerated() {
      if position > 0, position % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  /// Returns a count with its noun in the singular or the plural: `1 chunk`, `1,200 chunks`.
  public static func count(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  /// Returns the shortest exact form of a number: `30`, `2.5`.
  public static func plain(_ value: Double) -> String {
    Int64(exactly: value).map(String.init) ?? value.description
  }
}
