/// Metres upwards and downwards from a series of altitudes, without the rises and falls of noise.
///
/// A rise or a fall counts once it exceeds `hysteresis`. Then all of it counts, from one turning
/// point to the next. So gain less loss is always the height of the last turning point above the
/// first.
struct Climb: Sendable {
  private enum Direction: Sendable {
    case up, down
  }

  private let hysteresis: Double
  private var direction: Direction?
  /// The lowest and the highest altitude since the last turning point, or since the beginning.
  private var low = 0.0
  private var high = 0.0
  private var begun = false
  private var settledGain = 0.0
  private var settledLoss = 0.0

  /// A series in which smaller rises and falls are noise.
  init(hysteresis: Double) {
    self.hysteresis = hysteresis
  }

  /// Metres upwards, including the present rise.
  var gain: Double { settledGain + (direction == .up ? high - low : 0) }

  /// Metres downwards, including the present fall.
  var loss: Double { settledLoss + (direction == .down ? high - low : 0) }

  /// Adds the next altitude.
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

  /// Continues at another altitude without counting the difference.
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
