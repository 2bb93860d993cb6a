internal import LinuxSystem
internal import NMEA
internal import Positioning
internal import Recording
internal import Values

/// Formats the fixes and states of a receiver, one per line, for output that is not a terminal.
enum ReceiverText {
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

  /// Returns the event as a JSON object: a fix in the form printed by `inspect nmea`, or a state
  /// with its details.
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

  /// Returns the reason why a position source in this state has not reported a fix.
  static func silence(_ state: ReceiverState) -> String {
    switch state {
    case .searching: "no data was received from it"
    case .noFix, .fix2D, .fix3D, .stale, .fixed: "it had no fix"
    case .lost: "it stopped sending"
    case .unplugged: "it was unplugged"
    case .noDaemon: "gpsd does not respond"
    case .noDevice: "gpsd has no receiver"
    case .ended: "its sentences contain no fix"
    }
  }

  private static func seconds(_ time: BootTime, _ began: BootTime) -> JSONValue {
    time.seconds(since: began).json(decimals: 3)
  }

  /// Formats the speed over ground and the direction of travel.
  static func speed(_ speed: Double, track: Double?) -> String {
    NumberText.fixed(speed, decimals: 2) + " m/s"
      + (track.map { " towards " + NumberText.fixed($0, decimals: 0) + "°" } ?? "")
  }
}
