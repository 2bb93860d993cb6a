internal import Gateway
internal import Positioning
internal import Recording

/// Where the receiver is and how well it knows.
enum PositionText {
  /// With altitude, satellites and age, as far as they are known.
  static func long(_ status: LiveStatus) -> String {
    guard let fix = status.fix else { return status.receiver.rawValue }
    var parts = [degrees(fix)]
    if let altitude = fix.altitudeMSL {
      parts.append(NumberText.fixed(altitude, decimals: 1) + " m")
    }
    parts.append(status.receiver.rawValue)
    if let satellites = fix.satellites { parts.append("\(satellites) sat") }
    if let age = status.fixAge { parts.append(DurationText.short(age) + " ago") }
    return parts.joined(separator: "  ")
  }

  /// State and position alone.
  static func short(_ status: LiveStatus) -> String {
    let state = status.receiver.rawValue
    return "position " + (status.fix.map { "\(degrees($0)) (\(state))" } ?? state)
  }

  /// Six decimals are a tenth of a metre, which is all a receiver knows.
  private static func degrees(_ fix: Fix) -> String {
    let latitude = NumberText.fixed(fix.latitude.magnitude, decimals: 6)
    let longitude = NumberText.fixed(fix.longitude.magnitude, decimals: 6)
    return "\(latitude)° \(fix.latitude < 0 ? "S" : "N") "
      + "\(longitude)° \(fix.longitude < 0 ? "W" : "E")"
  }
}
