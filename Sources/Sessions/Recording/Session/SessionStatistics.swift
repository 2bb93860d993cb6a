public import Values

/// The statistics of a session: distance, climb and steps. Each begins at zero with the session.
public struct SessionStatistics: Hashable, Sendable {
  /// Metres upwards and downwards.
  public struct Altitude: Hashable, Sendable {
    /// The source of altitudes.
    public enum Source: String, Hashable, Sendable, CaseIterable {
      /// The barometer of a board.
      case barometer
      /// The fixes of the receiver.
      case satellites
    }

    /// The source of the altitudes.
    public var source: Source
    /// Metres upwards.
    public var gain: Double
    /// Metres downwards, as a positive number.
    public var loss: Double

    /// Metres from the beginning to the end, upwards positive.
    public var net: Double { gain - loss }

    public init(source: Source, gain: Double, loss: Double) {
      self.source = source
      self.gain = gain
      self.loss = loss
    }
  }

  /// Steps of the wearer of one board.
  public struct Steps: Hashable, Sendable {
    /// The origin of the count.
    public enum Source: String, Hashable, Sendable, CaseIterable {
      /// The counter in the board.
      case board
      /// The gateway, from the accelerometer.
      case accelerometer
    }

    public var board: BoardAddress
    /// The origin of the count.
    public var source: Source
    public var count: Int
    /// Steps a minute during the latest walking; `nil` at rest, or if only the board counts.
    public var cadence: Double?

    /// Steps of one board.
    public init(board: BoardAddress, source: Source, count: Int, cadence: Double? = nil) {
      self.board = board
      self.source = source
      self.count = count
      self.cadence = cadence
    }
  }

  /// Seconds from the start to the latest known time.
  public var elapsed = 0.0
  /// Metres over ground; `nil` without a fix.
  public var distance: Double?
  /// Seconds of movement over ground.
  public var movingSeconds = 0.0
  /// Metres per second at the last fix; `nil` if it has no speed.
  public var speed: Double?
  /// Highest speed during movement, metres per second.
  public var highestSpeed: Double?
  /// Climbing; `nil` without a source of altitude.
  public var altitude: Altitude?
  /// Steps by board, in the order in which their streams were registered.
  public var steps: [Steps] = []
  public var fixSeconds = 0.0

  /// Statistics of a session that begins.
  public init() {}

  /// Metres per second during movement.
  public var meanSpeed: Double? {
    guard let distance, movingSeconds > 0 else { return nil }
    return distance / movingSeconds
  }

  /// Part of the time with a fix, 0 to 1.
  public var fixShare: Double { elapsed > 0 ? min(1, fixSeconds / elapsed) : 0 }
}
