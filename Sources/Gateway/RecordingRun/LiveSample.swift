public import Recording
public import Values

/// A sample that is shown but not stored.
public struct LiveSample: Sendable {
  public var board: BoardIdentity
  public var stream: StreamDescription
  /// Arrival time of the sample's packet, by the system clock.
  public var time: UTCTime
  /// Seconds from the arrival of the first sample in any stream to this sample's arrival.
  public var seconds: Double
  /// The sample number. The reader numbers the samples that the board does not number.
  public var number: UInt32
  /// Values in the stream's unit.
  public var values: [Double]
  /// The position from the last fix, or `nil` before the receiver's first report.
  public var position: PositionLookup?

  public init(
    board: BoardIdentity, stream: StreamDescription, time: UTCTime, seconds: Double,
    number: UInt32, values: [Double], position: PositionLookup? = nil
  ) {
    self.board = board
    self.stream = stream
    self.time = time
    self.seconds = seconds
    self.number = number
    self.values = values
    self.position = position
  }
}
