/// A bar that fills from left to right in eighths of a character.
public enum Bar {
  private static let eighths: [Character] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  /// Returns the bar in brackets, with `width` characters inside.
  ///
  /// The length is rounded down, so the bar looks complete only if the fraction is 1.
  public static func text(_ fraction: Double, width: Int = 10) -> String {
    let share = fraction.isNaN ? 0 : min(max(fraction, 0), 1)
    let filled = Int(share * Double(width * 8))
    var inside = String(repeating: "█", count: filled / 8)
    if filled % 8 > 0 { inside.append(eighths[filled % 8]) }
    return "[" + inside + String(repeating: " ", count: width - inside.count) + "]"
  }
}
