public import Recording
public import Values

/// One sample of a stream that is only looked at.
public struct LiveSample: Sendable {
  /// The board it came from.
  public var board: BoardIdentity
  /// The stream it belongs to.
  public var stream: StreamDescription
  /// When its packet arrived, by the system clock.
  public var time: UTCTime
  /// The same in seconds since the first sample of all.
  public var seconds: Double
  /// Its number as counted on the board, or here where the board does not count.
  public var number: UInt32
  /// Its axes in the unit of the stream.
  public var values: [Double]
  /// Where it was, by the last fix; `nil` as long as no receiver was heard.
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
