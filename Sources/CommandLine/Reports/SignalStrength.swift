internal import Terminal

/// Strength of a radio signal as people read it.
enum SignalStrength {
  // Below the weakest hardly a packet gets through; a board on the table has the strongest.
  private static let weakest = -95.0
  private static let strongest = -45.0

  /// A bar and the figure; `–` where it is not known.
  static func text(_ rssi: Int?) -> String {
    guard let rssi else { return "–" }
    let share = (Double(rssi) - weakest) / (strongest - weakest)
    return Bar.text(share, width: 5) + " \(rssi) dBm"
  }
}
