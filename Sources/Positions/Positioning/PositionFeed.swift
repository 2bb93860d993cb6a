internal import LinuxSystem
internal import Recording
internal import Values

/// Reads one kind of position source on behalf of the `gps` thread. Determines which descriptor the
/// thread must wait for, and for how long at most.
///
/// A feed owns the source's descriptor and carries out the decisions of its watch, a value type
/// that uses neither a clock nor a descriptor.
protocol PositionFeed: ~Copyable, Sendable {
  var state: ReceiverState { get }
  /// The descriptor that the thread waits for, or `PollSet.nobody` if there is none.
  var descriptor: Int32 { get }
  /// Whether to wait until the descriptor is writable instead of readable.
  var waitsForWriting: Bool { get }
  /// Performs the work that is due, such as opening the source, and appends the resulting reports.
  mutating func work(at now: BootTime, into reports: inout [PositionReport])
  /// Reads from or writes to the descriptor, which is ready, and appends the resulting reports.
  mutating func take(at now: BootTime, into reports: inout [PositionReport])
  /// Returns the maximum number of seconds that may pass before the next call to `work`.
  func wait(at now: BootTime) -> Double
  /// Appends a report on the epoch that is still open.
  mutating func finish(into reports: inout [PositionReport])
  /// Adds the feed's device, counts and other data to the status. The caller adds the source's
  /// state and reports.
  func describe(_ status: inout ReceiverStatus)
}

extension PositionFeed where Self: ~Copyable {
  var waitsForWriting: Bool { false }
}
