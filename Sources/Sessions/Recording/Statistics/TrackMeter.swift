internal import Values

/// Computes the distance, speed, climb, and time with a current fix, from a session's fixes.
struct TrackMeter: Sendable {
  /// Maximum number of seconds for which a fix is treated as current: three cycles of a receiver
  /// that reports every second. A fix before a loss is treated as current for one cycle.
  private static let fixLife = 3.0
  /// Seconds over which the altitude is smoothed, since its error is twice the horizontal error.
  private static let altitudeSeconds = 15.0
  /// Metres by which a receiver's altitude varies at rest.
  private static let altitudeHysteresis = 4.0

  private(set) var odometer = Odometer()
  private(set) var climb = Climb(hysteresis: Self.altitudeHysteresis)
  private(set) var hasAltitude = false
  private(set) var last: Fix?
  private var settledFixSeconds = 0.0
  private var altitude: Double?

  mutating func add(_ fix: Fix) {
    if let last {
      let pause = max(0, fix.arrival.seconds(since: last.arrival))
      settledFixSeconds += fix.followsLoss ? min(pause, Self.fixLife / 3) : min(pause, Self.fixLife)
    }
    odometer.add(fix)
    addAltitude(of: fix)
    last = fix
  }

  /// Returns the number of seconds with a current fix, up to an instant.
  func fixSeconds(until end: BootTime) -> Double {
    guard let last else { return 0 }
    return settledFixSeconds + min(max(0, end.seconds(since: last.arrival)), Self.fixLife)
  }

  private mutating func addAltitude(of fix: Fix) {
    guard let metres = fix.altitudeMSL, fix.isThreeDimensional else { return }
    hasAltitude = true
    guard let last, let smooth = altitude, !fix.followsLoss else {
      altitude = metres
      climb.jump()
      climb.add(metres)
      return
    }
    let seconds = max(0, fix.arrival.seconds(since: last.arrival))
    let weight = seconds / (Self.altitudeSeconds + seconds)
    let next = smooth + weight * (metres - smooth)
    altitude = next
    // A wearer who stands still does not climb, however much the reported altitude drifts.
    if odometer.isMoving { climb.add(next) }
  }
}
