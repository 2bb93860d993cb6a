public import Recording
public import Values

/// One sample of a stream that is only shown.
public struct LiveSample: Sendable {
  /// The board it came from.
  public var board: BoardIdentity
  /// The stream it belongs to.
  public var stream: StreamDescription
  /// When its packet arrived, by the system clock.
  public var time: UTCTime
  /// Arrival in seconds since the first sample of all streams.
  public var seconds: Double
  /// Number of the sample as counted on the board, or by the reader where the board does not count.
  public var number: UInt32
  /// Its axes in the unit of the stream.
  public var values: [Double]
  /// Position of the sample by the last fix; `nil` as long as no receiver was heard.
  public var position: PositionLookup?

  /// A sample with the given parts.
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
