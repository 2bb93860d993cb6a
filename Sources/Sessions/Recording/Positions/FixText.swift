public import Values

/// Formats a fix as one line of text or as JSON.
public enum FixText {
  /// Omits fields that the receiver did not report.
  public static func json(_ fix: Fix) -> JSONValue {
    .known([
      .init("time", fix.utc.iso8601(decimals: 3)), .init("lat", fix.latitude),
      .init("lon", fix.longitude), .init("altMSL", fix.altitudeMSL),
      .init("geoidSep", fix.geoidSeparation), .init("speed", fix.speed), .init("track", fix.track),
      .init("mode", fix.isThreeDimensional ? 3 : 2), .init("quality", fix.quality.rawValue),
      .init("satsUsed", fix.satellites), .init("hdop", fix.hdop),
    ])
  }

  public static func line(_ fix: Fix) -> String {
    var parts = [
      fix.utc.iso8601(decimals: 3),
      // The seventh decimal place corresponds to about a centimetre, and no receiver is more
      // precise.
      NumberText.fixed(fix.latitude, decimals: 7) + "°",
      NumberText.fixed(fix.longitude, decimals: 7) + "°",
      fix.isThreeDimensional ? "3D" : "2D",
    ]
    if let note = note(fix.quality) { parts.append(note) }
    if let altitude = fix.altitudeMSL {
      parts.append(NumberText.fixed(altitude, decimals: 1) + " m")
    }
    if let speed = fix.speed { parts.append(NumberText.fixed(speed, decimals: 2) + " m/s") }
    if let track = fix.track { parts.append(NumberText.fixed(track, decimals: 1) + "°") }
    if let satellites = fix.satellites { parts.append("\(satellites) sat") }
    if let hdop = fix.hdop { parts.append("hdop \(NumberText.plain(hdop))") }
    if let error = fix.error {
      parts.append("±\(NumberText.fixed(error.horizontal, decimals: 1)) m")
    }
    return parts.joined(separator: "  ")
  }

  private static func note(_ quality: Fix.Quality) -> String? {
    switch quality {
    case .autonomous: nil
    case .differential: "differential"
    case .precise: "precise"
    case .realTimeKinematic: "RTK"
    case .floatRealTimeKinematic: "RTK float"
    case .estimated: "ESTIMATED"
    case .manual: "ENTERED BY HAND"
    case .simulated: "SIMULATED"
    }
  }
}
