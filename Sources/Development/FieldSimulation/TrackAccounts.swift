internal import Recording
internal import Simulation
internal import Values

/// Checks the stored positions of one recording.
struct TrackAccounts {
  /// Seconds from a receiver's return until the program is certain to be listening to it. The
  /// program searches for the port every five seconds, and may miss a burst in progress.
  private static let openingSeconds = 8.0
  /// Seconds before the end of the recording, or before the receiver disappears, during which a
  /// position may be missing.
  private static let endSeconds = 2.0
  /// The tolerance for a position in degrees. A sentence states minutes with five decimal places,
  /// and half a unit of the last place is 0.9 cm.
  private static let tolerance = 2e-7

  var sky: SkyLog
  var fixes: [Fix]
  var start: Double
  /// The time of the stop request, kill or power cut.
  var end: Double
  var hadDiskFault: Bool

  /// Returns the broken invariants. `time` is the time at which the check runs.
  func violations(at time: Double) -> [Violation] {
    var found: [Violation] = []
    var next = 0
    var missing: [Double] = []
    for burst in sky.bursts {
      if next < fixes.count, fixes[next].utc == burst.utc {
        let fix = fixes[next]
        next += 1
        if abs(fix.latitude - burst.place.latitude) > Self.tolerance
          || abs(fix.longitude - burst.place.longitude) > Self.tolerance
        {
          found.append(
            Violation(
              invariant: .positions, time: burst.time,
              text:
                "the position stored for \(burst.utc) is not the receiver's position for that second"
            ))
        }
      } else if isExpected(burst) {
        missing.append(burst.time)
      }
    }
    if next < fixes.count {
      found.append(
        Violation(
          invariant: .positions, time: time,
          text: "position \(next) of \(fixes.count), for \(fixes[next].utc), and the "
            + "positions after it are not the receiver's"))
    }
    if let first = missing.first, let last = missing.last {
      found.append(
        Violation(
          invariant: .positions, time: first,
          text: "\(missing.count) positions are not stored, the last at \(last)"))
    }
    return found
  }

  /// Whether the program must have received a burst.
  private func isExpected(_ burst: SkyLog.Burst) -> Bool {
    guard !hadDiskFault else { return false }
    let began = max(start, sky.changes.last { $0 <= burst.time } ?? start)
    let ends = min(end, sky.changes.first { $0 > burst.time } ?? end)
    return burst.time > began + Self.openingSeconds && burst.time < ends - Self.endSeconds
  }
}
