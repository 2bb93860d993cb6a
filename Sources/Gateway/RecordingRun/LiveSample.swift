public import Recording
public import Values

/// A sample of a stream that is only shown.
public struct LiveSample: Sendable {
  public var board: BoardIdentity
  public var stream: StreamDescription
  /// Arrival of its packet, by the system clock.
  public var time: UTCTime
  /// Seconds from the first sample of all streams to this arrival.
  public var seconds: Double
  /// Counted by the board, or by the reader if the board does not count.
  public var number: UInt32
  /// In the unit of the stream.
  public var values: [Double]
  /// By the last fix; `nil` as long as no receiver was heard.
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
