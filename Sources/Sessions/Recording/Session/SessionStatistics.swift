public import Values

/// What a session amounts to: how far, how high, how many steps. Each begins at zero with the
/// session.
public struct SessionStatistics: Hashable, Sendable {
  /// Metres upwards and downwards.
  public struct Altitude: Hashable, Sendable {
    /// Where altitude came from.
    public enum Source: String, Hashable, Sendable, CaseIterable {
      /// The barometer of a board.
      case barometer
      /// The fixes of the receiver.
      case satellites
    }

    /// Where it came from.
    public var source: Source
    /// Metres upwards.
    public var gain: Double
    /// Metres downwards, as a positive number.
    public var loss: Double

    /// Metres from the beginning to the end, upwards positive.
    public var net: Double { gain - loss }

    /// Gain and loss by a source.
    public init(source: Source, gain: Double, loss: Double) {
      self.source = source
      self.gain = gain
      self.loss = loss
    }
  }

  /// Steps of the wearer of one board.
  public struct Steps: Hashable, Sendable {
    /// Who counted them.
    public enum Source: String, Hashable, Sendable, CaseIterable {
      /// The counter in the board.
      case board
      /// The gateway, by the accelerometer.
      case accelerometer
    }

    /// The board.
    public var board: BoardAddress
    /// Who counted them.
    public var source: Source
    /// How many.
    public var count: Int
    /// Steps a minute while somebody walked last; `nil` if nobody walks, or only the board counts.
    public var cadence: Double?

    /// Steps of one board.
    public init(board: BoardAddress, source: Source, count: Int, cadence: Double? = nil) {
      self.board = board
      self.source = source
      self.count = count
      self.cadence = cadence
    }
  }

  /// Seconds from the start to the latest that is known.
  public var elapsed = 0.0
  /// Metres over ground; `nil` without a fix.
  public var distance: Double?
  /// Seconds in which somebody moved over ground.
  public var movingSeconds = 0.0
  /// Metres per second at the last fix that tells.
  public var speed: Double?
  /// The highest of these.
  public var highestSpeed: Double?
  /// Climbing; `nil` where nothing tells altitude.
  public var altitude: Altitude?
  /// By board, in the order in which their streams were registered.
  public var steps: [Steps] = []
  /// Seconds in which there was a fix.
  public var fixSeconds = 0.0

  /// Nothing has happened yet.
  public init() {}

  /// Metres per second while somebody moved.
  public var meanSpeed: Double? {
    guard let distance, movingSeconds > 0 else { return nil }
    return distance / movingSeconds
  }

  /// Part of the time in which there was a fix, 0 to 1.
  public var fixShare: Double { elapsed > 0 ? min(1, fixSeconds / elapsed) : 0 }
}
