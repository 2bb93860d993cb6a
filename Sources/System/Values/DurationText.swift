/// Formats durations for people.
public enum DurationText {
  /// Returns an elapsed time as a stopwatch shows it: `0:07`, `12:30`, `1:02:03`. Fractions of a
  /// second are truncated.
  public static func clock(_ seconds: Double) -> String {
    let total = wholeSeconds(seconds)
    let (hours, minutes) = (total / 3_600, total / 60 % 60)
    return (hours > 0 ? "\(hours):\(twoDigits(minutes))" : "\(minutes)")
      + ":" + twoDigits(total % 60)
  }

  /// Parses an elapsed time in the form that `clock` writes: minutes and seconds, or hours, minutes
  /// and seconds, separated by colons. The seconds may have decimals.
  public static func seconds(ofClock text: String) -> Double? {
    guard text.utf8.allSatisfy({ "0123456789.:".utf8.contains($0) }) else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let last = parts.last, let seconds = Double(last),
      seconds < 60
    else { return nil }
    var minutes = 0
    for (place, part) in parts.dropLast().enumerated() {
      guard let number = UInt16(part), place == 0 || number < 60 else { return nil }
      minutes = 60 * minutes + Int(number)
    }
    return 60 * Double(minutes) + seconds
  }

  /// Returns a duration in the largest suitable unit: `0.4 s`, `12 s`, `3 min`, `2 h`. Truncates
  /// instead of rounding.
  public static func short(_ seconds: Double) -> String {
    let total = wholeSeconds(seconds)
    switch total {
    case ..<10:
      let tenths = wholeSeconds(seconds * 10)
      return "\(tenths / 10).\(tenths % 10) s"
    case ..<120: return "\(total) s"
    case ..<7_200: return "\(total / 60) min"
    default: return "\(total / 3_600) h"
    }
  }

  private static func wholeSeconds(_ seconds: Double) -> Int {
    // The limit is far longer than any recording, yet fits in an integer. A negative duration is
    // treated as 0.
    seconds.isNaN ? 0 : Int(min(max(seconds, 0), 1e12))
  }

  private static func twoDigits(_ value: Int) -> String {
    (value < 10 ? "0" : "") + String(value)
  }
}
