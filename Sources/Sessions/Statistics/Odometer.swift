internal import Recording
internal import Values

/// The length of a way, from fixes that are a metre or two off and wander at rest.
///
/// A receiver measures speed by the Doppler shift, a hundred times better than it knows the place,
/// so speed is summed while somebody moves. Where a receiver does not tell speed, legs of several
/// metres are summed, over which the wandering does not count. At rest nothing is added.
///
/// States: `still` → `moving` when the speed says so, or when the place is farther off than its
/// error explains; `moving` → `still` when the speed says so, or without one when no leg came to
/// its end for a while. Both → `still` at a loss: of the way through it nothing is known, and
/// nothing is added.
struct Odometer: Sendable {
  /// Metres per second from which on somebody moves; the slowest walkers are faster, and receivers
  /// at rest report a tenth of it.
  private static let setsOff = 0.4
  /// Metres per second below which nobody moves any more.
  private static let stops = 0.2
  /// Metres by which a place must differ to be another one, at least; else its own error counts.
  private static let farAway = 10.0
  /// Metres of a leg without speed: bends are rounder, and errors change by less meanwhile.
  private static let leg = 5.0
  /// Seconds within which somebody who moves ends a leg.
  private static let legSeconds = 15.0
  /// Seconds between fixes over which speed is summed.
  private static let longestStep = 10.0

  /// Metres so far.
  private(set) var metres = 0.0
  /// Whether somebody moves.
  private(set) var isMoving = false
  /// Seconds in which somebody moved.
  private(set) var movingSeconds = 0.0
  /// The highest speed, metres per second.
  private(set) var highestSpeed: Double?
  private var last: Fix?
  /// Where somebody stood still, or ended a leg.
  private var anchor: Fix?

  /// Goes on to the next fix.
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
      // Somebody who goes slower than the speed is worth, or a receiver that holds it at 0.
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
