internal import Gateway
internal import Positioning
internal import Recording
internal import Values

/// The position of the receiver and its quality.
enum PositionText {
  /// With altitude, satellites and age, as far as they are known. An old position follows the state
  /// and is marked as such.
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

  /// State and position alone; the position only while it is current.
  static func short(_ status: LiveStatus) -> String {
    guard let state = status.receiver else { return "no position source" }
    guard let fix = status.fix, state.isCurrent else { return "position \(state.rawValue)" }
    return "position \(degrees(fix)) (\(state.rawValue))"
  }

  /// Six decimals are a tenth of a metre, the best that a receiver resolves.
  static func degrees(_ fix: Fix) -> String {
    let latitude = NumberText.fixed(fix.latitude.magnitude, decimals: 6)
    let longitude = NumberText.fixed(fix.longitude.magnitude, decimals: 6)
    return "\(latitude)° \(fix.latitude < 0 ? "S" : "N") "
      + "\(longitude)° \(fix.longitude < 0 ? "W" : "E")"
  }

  /// Metres above the sea, where they are known.
  static func altitude(_ fix: Fix) -> String? {
    fix.altitudeMSL.map { NumberText.fixed($0, decimals: 1) + " m" }
  }
}
