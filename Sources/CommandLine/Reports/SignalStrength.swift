internal import Terminal

/// Formats a radio signal's strength.
enum SignalStrength {
  // The lower and upper limits of the bar, in dBm. Below the lower limit, hardly any packets
  // arrive. A board next to the computer reaches the upper limit.
  private static let weakest = -95.0
  private static let strongest = -45.0

  /// Returns a bar with the value in dBm, or `–` if it is unknown.
  static func text(_ rssi: Int?) -> String {
    guard let rssi else { return "–" }
    let share = (Double(rssi) - weakest) / (strongest - weakest)
    return Bar.text(share, width: 5) + " \(rssi) dBm"
  }
}
