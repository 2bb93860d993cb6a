internal import LinuxSystem
internal import NMEA
internal import Positioning
internal import Recording
internal import Values

/// Fixes and states of a receiver on a line each, for output that is not a terminal.
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

  /// A JSON object: a fix as `inspect nmea` prints it, or a state with its details.
  static func json(_ event: ReceiverEvent, since began: BootTime) -> JSONValue {
    switch event {
    case .report(.fix(let fix)): return FixText.json(fix)
    case .report(.noFix(let arrival)):
      return ["fix": false, "seconds": seconds(arrival, began)]
    case .change(let change):
      return .known([
        .init("state", change.state.rawValue), .init("seconds", seconds(change.time, began)),
        .init("device", change.device), .init("baud", change.speed?.rawValue),
        .init("reason", change.problem?.reason), .init("remedy", change.problem?.remedy),
      ])
    }
  }

  /// The reason why a source in a state has given no fix.
  static func silence(_ state: ReceiverState) -> String {
    switch state {
    case .searching: "nothing was heard from it"
    case .noFix, .fix2D, .fix3D, .stale, .fixed: "it had no fix"
    case .lost: "it fell silent"
    case .unplugged: "it was unplugged"
    case .noDaemon: "no gpsd answers"
    case .noDevice: "gpsd has no receiver"
    case .ended: "its sentences have no fix"
    }
  }

  private static func seconds(_ time: BootTime, _ began: BootTime) -> JSONValue {
    time.seconds(since: began).json(decimals: 3)
  }

  /// Speed over ground and direction.
  static func speed(_ speed: Double, track: Double?) -> String {
    NumberText.fixed(speed, decimals: 2) + " m/s"
      + (track.map { " towards " + NumberText.fixed($0, decimals: 0) + "°" } ?? "")
  }
}
