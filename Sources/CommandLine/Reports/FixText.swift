public import Recording
public import Values

/// A fix on one line.
public enum FixText {
  /// As one object; what the receiver did not say is left out.
  public static func json(_ fix: Fix) -> JSONValue {
    var members: [JSONValue.Member] = [
      JSONValue.Member("time", .string(fix.utc.iso8601(decimals: 3))),
      JSONValue.Member("lat", .number(fix.latitude)),
      JSONValue.Member("lon", .number(fix.longitude)),
    ]
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONValue.Member(name, value)) }
    }
    add("altMSL", fix.altitudeMSL.map { .number($0) })
    add("geoidSep", fix.geoidSeparation.map { .number($0) })
    add("speed", fix.speed.map { .number($0) })
    add("track", fix.track.map { .number($0) })
    add("mode", fix.isThreeDimensional ? 3 : 2)
    add("quality", .integer(Int64(fix.quality.rawValue)))
    add("satsUsed", fix.satellites.map { .integer(Int64($0)) })
    add("hdop", fix.hdop.map { .number($0) })
    return .object(members)
  }

  /// As people read it.
  public static func line(_ fix: Fix) -> String {
    var parts = [
      fix.utc.iso8601(decimals: 3),
      // Seven decimals are a centimetre, more than any receiver knows.
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

  /// What sets a fix apart from a plain one.
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
