internal import LinuxSystem
internal import NMEA
internal import Positioning
internal import Recording

/// Fixes and states of a receiver on a line each, for output that is no terminal.
enum ReceiverText {
  /// A line of words.
  static func line(_ event: ReceiverEvent, of source: PositionSource) -> String {
    switch event {
    case .report(.fix(let fix)):
      let parts = [
        fix.utc.iso8601(decimals: 3), PositionText.degrees(fix), PositionText.altitude(fix),
        fix.isThreeDimensional ? "3D" : "2D", fix.satellites.map { "\($0) sat" },
        fix.error.map(error), fix.speed.map { speed($0, track: fix.track) },
      ]
      return parts.compactMap { $0 }.joined(separator: "  ")
    case .report(.noFix): return "no fix in this epoch"
    case .change(let change):
      var parts = ["state: \(change.state.rawValue)", change.device ?? source.description]
      if let speed = change.speed { parts.append("\(speed.rawValue) baud") }
      if let problem = change.problem { parts += [problem.reason, problem.remedy] }
      return parts.joined(separator: "  ")
    }
  }

  /// A JSON object: of a fix what `footbridge inspect nmea` prints, of a state its name and more.
  static func json(_ event: ReceiverEvent, since began: BootTime) -> JSONValue {
    switch event {
    case .report(.fix(let fix)): return json(fix)
    case .report(.noFix(let arrival)):
      return .object([
        .init("fix", .bool(false)), .init("seconds", seconds(arrival, began)),
      ])
    case .change(let change):
      var members: [JSONValue.Member] = [
        .init("state", .string(change.state.rawValue)),
        .init("seconds", seconds(change.time, began)),
      ]
      if let device = change.device { members.append(.init("device", .string(device))) }
      if let speed = change.speed {
        members.append(.init("baud", .integer(Int64(speed.rawValue))))
      }
      if let problem = change.problem {
        members.append(.init("reason", .string(problem.reason)))
        members.append(.init("remedy", .string(problem.remedy)))
      }
      return .object(members)
    }
  }

  private static func seconds(_ time: BootTime, _ began: BootTime) -> JSONValue {
    .number((time.seconds(since: began) * 1_000).rounded() / 1_000)
  }

  private static func json(_ fix: Fix) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("time", .string(fix.utc.iso8601(decimals: 3))),
      .init("lat", .number(fix.latitude)), .init("lon", .number(fix.longitude)),
    ]
    func add(_ name: String, _ value: Double?) {
      if let value { members.append(.init(name, .number(value))) }
    }
    add("altMSL", fix.altitudeMSL)
    add("geoidSep", fix.geoidSeparation)
    add("speed", fix.speed)
    add("track", fix.track)
    members.append(.init("mode", .integer(fix.isThreeDimensional ? 3 : 2)))
    members.append(.init("quality", .integer(Int64(fix.quality.rawValue))))
    if let satellites = fix.satellites {
      members.append(.init("satsUsed", .integer(Int64(satellites))))
    }
    add("hdop", fix.hdop)
    add("errorHorizontal", fix.error?.horizontal)
    add("errorVertical", fix.error?.vertical)
    return .object(members)
  }

  /// How far the position may be off.
  static func error(_ error: Fix.ErrorEstimate) -> String {
    "±" + NumberText.fixed(error.horizontal, decimals: 1) + " m"
  }

  /// Speed over ground and where to.
  static func speed(_ speed: Double, track: Double?) -> String {
    NumberText.fixed(speed, decimals: 2) + " m/s"
      + (track.map { " towards " + NumberText.fixed($0, decimals: 0) + "°" } ?? "")
  }
}
