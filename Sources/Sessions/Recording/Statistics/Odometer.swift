internal import Values

/// The length of a path, from fixes that are a metre or two off and wander at rest.
///
/// A receiver measures speed by the Doppler shift, a hundred times better than its position, so the
/// odometer integrates speed during movement. If a receiver reports no speed, it sums legs of
/// several metres, over which the wandering does not matter. At rest it adds nothing.
///
/// States: `still` → `moving` when the speed shows movement, or when the position is further off
/// than its error explains. `moving` → `still` when the speed shows rest, or without a speed when
/// no leg has ended for a while. Both → `still` at a loss: the path during a loss is unknown, and
/// nothing is added.
struct Odometer: Sendable {
  /// Metres per second above which the wearer moves; the slowest walkers are faster, and receivers
  /// at rest report a tenth of it.
  private static let setsOff = 0.4
  /// Metres per second below which the wearer stands still.
  private static let stops = 0.2
  /// Minimum distance in metres to a different position; a larger error of the fix replaces it.
  private static let farAway = 10.0
  /// Metres of a leg without speed: bends have larger radii, and errors change by less in that
  /// time.
  private static let leg = 5.0
  /// Seconds within which a moving wearer ends a leg.
  private static let legSeconds = 15.0
  /// Seconds between fixes over which speed is summed.
  private static let longestStep = 10.0

  /// Metres so far.
  private(set) var metres = 0.0
  /// Whether the wearer moves.
  private(set) var isMoving = false
  /// Seconds of movement.
  private(set) var movingSeconds = 0.0
  /// The highest speed, metres per second.
  private(set) var highestSpeed: Double?
  private var last: Fix?
  /// The position of the last rest, or the end of the last leg.
  private var anchor: Fix?

  /// Moves to the next fix.
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
      // A wearer too slow for the reported speed, or a receiver that always reports 0.
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
