internal import LinuxSystem
internal import NMEA
internal import Positioning
internal import Recording
internal import Values

/// Fixes and states of a receiver on a line each, for output that is no terminal.
enum ReceiverText {
  /// A line of words.
  static func line(_ event: ReceiverEvent, of source: PositionSource) -> String {
    switch event {
    case .report(.fix(let fix)): return FixText.line(fix)
    case .report(.noFix): return "no fix in this epoch"
    case .change(let change):
      var parts = ["state: \(change.state.rawValue)", change.device ?? source.description]
      if let speed = change.speed { parts.append("\(speed.rawValue) baud") }
      if let problem = change.problem { parts += [problem.reason, problem.remedy] }
      return parts.joined(separator: "  ")
    }
  }

  /// A JSON object: of a fix what `inspect nmea` prints, of a state its name and more.
  static func json(_ event: ReceiverEvent, since began: BootTime) -> JSONValue {
    switch event {
    case .report(.fix(let fix)): return FixText.json(fix)
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

  /// Why a source in a state has given no fix.
  static func silence(_ state: ReceiverState) -> String {
    switch state {
    case .searching: "nothing was heard of it"
    case .noFix, .fix2D, .fix3D, .stale, .fixed: "it had no fix"
    case .lost: "it fell silent"
    case .unplugged: "it was not there"
    case .noDaemon: "no gpsd answers"
    case .noDevice: "gpsd has no receiver"
    case .ended: "its sentences have no fix"
    }
  }

  private static func seconds(_ time: BootTime, _ began: BootTime) -> JSONValue {
    .number((time.seconds(since: began) * 1_000).rounded() / 1_000)
  }

  /// Speed over ground and where to.
  static func speed(_ speed: Double, track: Double?) -> String {
    NumberText.fixed(speed, decimals: 2) + " m/s"
      + (track.map { " towards " + NumberText.fixed($0, decimals: 0) + "°" } ?? "")
  }
}
