internal import Gateway
internal import Positioning
internal import Recording
internal import Values

/// Formats the receiver's position and its quality.
enum PositionText {
  /// Returns the position with altitude, satellites and age, if known. If the position is outdated,
  /// it is marked as such and placed after the state.
  static func long(_ status: LiveStatus) -> String {
    guard let state = status.receiver else { return "no source" }
    let age = status.fixAge.map { DurationText.short($0) + " ago" }
    guard let fix = status.fix else { return state.rawValue }
    guard state.isCurrent else {
      return ([state.rawValue, "last known " + degrees(fix)] + [age].compactMap { $0 })
        .joined(separator: "  ")
    }
    let parts = [
      degrees(fix), altitude(fix), state.rawValue, fix.satellites.map { "\($0) sat" }, age,
    ]
    return parts.compactMap { $0 }.joined(separator: "  ")
  }

  /// Returns the receiver's state and, while the position is current, the position.
  static func short(_ status: LiveStatus) -> String {
    guard let state = status.receiver else { return "no position source" }
    guard let fix = status.fix, state.isCurrent else { return "position \(state.rawValue)" }
    return "position \(degrees(fix)) (\(state.rawValue))"
  }

  /// Formats the position with six decimals. The sixth decimal is about a tenth of a metre, the
  /// finest resolution that receivers provide.
  static func degrees(_ fix: Fix) -> String {
    let latitude = NumberText.fixed(fix.latitude.magnitude, decimals: 6)
    let longitude = NumberText.fixed(fix.longitude.magnitude, decimals: 6)
    return "\(latitude)° \(fix.latitude < 0 ? "S" : "N") "
      + "\(longitude)° \(fix.longitude < 0 ? "W" : "E")"
  }

  /// Formats the altitude in metres above sea level. Returns `nil` if it is unknown.
  static func altitude(_ fix: Fix) -> String? {
    fix.altitudeMSL.map { NumberText.fixed($0, decimals: 1) + " m" }
  }
}
