/// Computes ascent and descent in metres from a series of altitudes, ignoring rises and falls
/// caused by noise.
///
/// A rise or a fall is counted only if it exceeds `hysteresis`. It is then counted in full, from
/// one turning point to the next. Gain minus loss is therefore always the height of the last
/// turning point above the first.
struct Climb: Sendable {
  private enum Direction: Sendable {
    case up, down
  }

  private let hysteresis: Double
  private var direction: Direction?
  /// The lowest altitude since the last turning point, or since the first altitude.
  private var low = 0.0
  /// The highest altitude since the last turning point, or since the first altitude.
  private var high = 0.0
  private var begun = false
  private var settledGain = 0.0
  private var settledLoss = 0.0

  /// Creates a meter that treats rises and falls smaller than `hysteresis`, in metres, as noise.
  init(hysteresis: Double) {
    self.hysteresis = hysteresis
  }

  /// Ascent in metres, including the current rise.
  var gain: Double { settledGain + (direction == .up ? high - low : 0) }

  /// Descent in metres, including the current fall.
  var loss: Double { settledLoss + (direction == .down ? high - low : 0) }

  mutating func add(_ metres: Double) {
    guard begun else {
      (low, high, begun) = (metres, metres, true)
      return
    }
    switch direction {
    case nil:
      low = min(low, metres)
      high = max(high, metres)
      if high - low > hysteresis { direction = metres == high ? .up : .down }
    case .up:
      if metres > high {
        high = metres
      } else if high - metres > hysteresis {
        settledGain += high - low
        (direction, low) = (.down, metres)
      }
    case .down:
      if metres < low {
        low = metres
      } else if metres - low > hysteresis {
        settledLoss += high - low
        (direction, high) = (.up, metres)
      }
    }
  }

  /// Continues at a different altitude without counting the difference.
  mutating func jump() {
    switch direction {
    case .up: settledGain += high - low
    case .down: settledLoss += high - low
    case nil: break
    }
    direction = nil
    begun = false
  }
}
