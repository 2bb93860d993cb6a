internal import LinuxSystem
internal import Recording
internal import Values

/// One kind of source as the thread `gps` serves it: what it waits for, and what it does then.
///
/// A feed owns its descriptor and performs what its watch, a value without clock and descriptor,
/// decides.
protocol PositionFeed: ~Copyable, Sendable {
  /// What the source is doing.
  var state: ReceiverState { get }
  /// The descriptor to wait for; `PollSet.nobody` for time alone.
  var descriptor: Int32 { get }
  /// Whether the descriptor is waited for until it can be written to.
  var waitsForWriting: Bool { get }
  /// Does what is due, and adds what is reported.
  mutating func work(at now: BootTime, into reports: inout [PositionReport])
  /// Something is up with the descriptor.
  mutating func take(at now: BootTime, into reports: inout [PositionReport])
  /// Seconds until `work` has something to do.
  func wait(at now: BootTime) -> Double
  /// Reports the epoch that is still open.
  mutating func finish(into reports: inout [PositionReport])
  /// Tells of the line; state and reports are told of by the caller.
  func describe(_ status: inout ReceiverStatus)
}

extension PositionFeed where Self: ~Copyable {
  var waitsForWriting: Bool { false }
}
