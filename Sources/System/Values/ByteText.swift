/// Formats byte counts for people.
public enum ByteText {
  /// Returns a count in the largest suitable decimal unit: `512 B`, `1.5 MB`. A megabyte is a
  /// million bytes.
  public static func short(_ bytes: UInt64) -> String {
    var value = Double(bytes)
    var unit = "B"
    for larger in ["kB", "MB", "GB", "TB"] where value >= 999.95 {
      value /= 1_000
      unit = larger
    }
    return (unit == "B" ? "\(bytes)" : NumberText.fixed(value, decimals: 1)) + " " + unit
  }
}
