internal import LinuxSystem
internal import Recording
internal import Values

/// One kind of source, as served by the thread `gps`: its descriptor, its waits and its work.
///
/// A feed owns its descriptor and performs the decisions of its watch, a value type without clock
/// and descriptor.
protocol PositionFeed: ~Copyable, Sendable {
  /// The source's state.
  var state: ReceiverState { get }
  /// The descriptor to wait for; `PollSet.nobody` to wait for time alone.
  var descriptor: Int32 { get }
  /// Whether to wait until the descriptor can be written to.
  var waitsForWriting: Bool { get }
  /// Does the work that is due, and appends its reports.
  mutating func work(at now: BootTime, into reports: inout [PositionReport])
  /// Handles the descriptor when it is ready.
  mutating func take(at now: BootTime, into reports: inout [PositionReport])
  /// Seconds until `work` has something to do.
  func wait(at now: BootTime) -> Double
  /// Reports the epoch that is still open.
  mutating func finish(into reports: inout [PositionReport])
  /// Fills in the status of the line; the caller fills in state and reports.
  func describe(_ status: inout ReceiverStatus)
}

extension PositionFeed where Self: ~Copyable {
  var waitsForWriting: Bool { false }
}
