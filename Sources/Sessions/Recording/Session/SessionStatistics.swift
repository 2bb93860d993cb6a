public import Values

/// A session's statistics: distance, climb and steps, counted from the session's start.
public struct SessionStatistics: Hashable, Sendable {
  /// The ascent and descent during a session.
  public struct Altitude: Hashable, Sendable {
    /// The sensor that measured the altitudes.
    public enum Source: String, Hashable, Sendable, CaseIterable {
      /// A barometer on one of the boards.
      case barometer
      /// A satellite receiver, which reports altitudes in its fixes.
      case satellites
    }

    public var source: Source
    /// Ascent in metres.
    public var gain: Double
    /// Descent in metres, as a positive number.
    public var loss: Double

    /// Difference in altitude from start to end, in metres; positive if the end is higher.
    public var net: Double { gain - loss }

    public init(source: Source, gain: Double, loss: Double) {
      self.source = source
      self.gain = gain
      self.loss = loss
    }
  }

  /// The wearer's steps, counted with one board.
  public struct Steps: Hashable, Sendable {
    /// The device that counted the steps.
    public enum Source: String, Hashable, Sendable, CaseIterable {
      /// The board, with its own step counter.
      case board
      /// The gateway, which analyses the board's accelerometer.
      case accelerometer
    }

    public var board: BoardAddress
    public var source: Source
    public var count: Int
    /// Steps per minute during the current walk; `nil` at rest, or if only the board counts steps.
    public var cadence: Double?

    public init(board: BoardAddress, source: Source, count: Int, cadence: Double? = nil) {
      self.board = board
      self.source = source
      self.count = count
      self.cadence = cadence
    }
  }

  /// Seconds from the session's start to the latest data.
  public var elapsed = 0.0
  /// Distance travelled over ground in metres; `nil` if there was no fix.
  public var distance: Double?
  /// Seconds during which the wearer moved over ground.
  public var movingSeconds = 0.0
  /// Speed at the last fix in metres per second; `nil` if the fix does not include a speed.
  public var speed: Double?
  /// Highest speed during movement, in metres per second.
  public var highestSpeed: Double?
  /// Ascent and descent; `nil` if there was no source of altitude.
  public var altitude: Altitude?
  /// Steps counted with each board, in the order in which their streams were registered.
  public var steps: [Steps] = []
  public var fixSeconds = 0.0

  public init() {}

  /// The session's steps: the highest count of any board, because boards on both legs count the
  /// same steps. `nil` if no board counted steps.
  public var stepCount: Int? { steps.map(\.count).max() }

  /// Mean speed during movement, in metres per second.
  public var meanSpeed: Double? {
    guard let distance, movingSeconds > 0 else { return nil }
    return distance / movingSeconds
  }

  /// Fraction of the elapsed time with a fix, from 0 to 1.
  public var fixShare: Double { elapsed > 0 ? min(1, fixSeconds / elapsed) : 0 }
}
