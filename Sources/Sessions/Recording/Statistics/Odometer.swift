internal import Values

/// Computes the length of a path from fixes that are off by a metre or two and drift at rest.
///
/// A receiver measures speed by the Doppler shift, a hundred times more accurately than position.
/// During movement, the odometer therefore integrates speed. If a receiver reports no speed, the
/// odometer adds up legs of several metres, which drift hardly affects. At rest, the odometer adds
/// nothing.
///
/// States: `still` → `moving` when the speed shows movement, or when the position has moved further
/// than its error explains. `moving` → `still` when the speed shows rest, or, without a speed, when
/// no leg has been completed for a while. After a loss, the speed at the next fix determines the
/// state: the path is unknown, and nothing is added.
struct Odometer: Sendable {
  /// Speed in metres per second above which the wearer is moving. The slowest walkers are faster,
  /// and receivers at rest report a tenth of this speed.
  private static let setsOff = 0.4
  /// Speed in metres per second below which the wearer is standing still.
  private static let stops = 0.2
  /// Metres by which a position must differ before the difference is treated as movement, unless
  /// the fix's error is larger.
  private static let farAway = 10.0
  /// Minimum distance in metres between two fixes that is added to the path if the speed is
  /// unknown. The radius of a bend is larger, and the position error changes by less over this
  /// distance.
  private static let leg = 5.0
  /// Maximum number of seconds that a moving wearer takes to cover the distance `leg`.
  private static let legSeconds = 15.0
  /// Maximum number of seconds between two fixes over which speed is integrated.
  private static let longestStep = 10.0

  /// Metres travelled since the start.
  private(set) var metres = 0.0
  private(set) var isMoving = false
  /// Seconds of movement since the start.
  private(set) var movingSeconds = 0.0
  /// The highest speed during movement, in metres per second; `nil` if there was none.
  private(set) var highestSpeed: Double?
  private var last: Fix?
  /// The fix from which the next distance is measured.
  private var anchor: Fix?

  mutating func add(_ fix: Fix) {
    defer { last = fix }
    guard let last, let anchor, !fix.followsLoss,
      fix.arrival.seconds(since: last.arrival) <= Self.longestStep
    else {
      anchor = fix
      isMoving = isFast(fix)
      return
    }
    let seconds = max(0, fix.arrival.seconds(since: last.arrival))
    if let speed = fix.speed {
      addSpeed(speed, of: fix, after: last, seconds: seconds)
    } else {
      addLeg(to: fix, from: anchor, seconds: seconds)
    }
  }

  private mutating func addSpeed(
    _ speed: Double, of fix: Fix, after last: Fix, seconds: Double
  ) {
    let wasMoving = isMoving
    isMoving = wasMoving ? speed >= Self.stops : isFast(fix)
    if isMoving || wasMoving {
      metres += (speed + (last.speed ?? speed)) / 2 * seconds
      movingSeconds += seconds
      highestSpeed = max(highestSpeed ?? 0, speed)
      anchor = fix
    } else if let anchor, Earth.metres(from: anchor, to: fix) > farAway(fix) {
      // The wearer moves too slowly for the reported speed to show the movement, or the receiver
      // always reports 0.
      metres += Earth.metres(from: anchor, to: fix)
      self.anchor = fix
    }
  }

  private mutating func addLeg(to fix: Fix, from anchor: Fix, seconds: Double) {
    let distance = Earth.metres(from: anchor, to: fix)
    let pause = fix.arrival.seconds(since: anchor.arrival)
    if isMoving { movingSeconds += seconds }
    if distance >= (isMoving ? Self.leg : farAway(fix)) {
      isMoving = true
      metres += distance
      if pause > 0, pause <= Self.legSeconds {
        highestSpeed = max(highestSpeed ?? 0, distance / pause)
      }
      self.anchor = fix
    } else if isMoving, pause > Self.legSeconds {
      isMoving = false
    }
  }

  private func isFast(_ fix: Fix) -> Bool { fix.speed.map { $0 >= Self.setsOff } ?? false }

  private func farAway(_ fix: Fix) -> Double { max(Self.farAway, fix.error?.horizontal ?? 0) }
}
