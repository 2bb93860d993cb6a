internal import LinuxSystem
internal import Recording

/// A request to the reader thread.
enum ReaderRequest: Sendable {
  case attach(UInt16, NotifySocket, attachment: UInt32)
  case route(UInt16, [BoardStream], restart: Reading.Kind?, counts: [UInt32?])
  case restart(UInt16, [Int])
  case silence(UInt16, [Int])
  case observe(UInt16, after: Double, Reply<[UInt64]>)
  case follow(Bool)
  case detach(UInt16, isEnd: Bool, Reply<ReaderCounts>)
  case stop
}

/// Counts of the packets that the reader received from one board.
public struct ReaderCounts: Hashable, Sendable {
  /// Number of packets received, both samples and responses.
  public var notifications = 0
  /// Number of packets decoded into samples.
  public var decoded = 0
  /// The largest number of packets found waiting in the board's socket. A socket can queue about
  /// 278; the daemon drops any further packets.
  public var mostWaiting = 0

  public init() {}

  /// Adds the counts from another link to the same board.
  static func += (counts: inout ReaderCounts, more: ReaderCounts) {
    counts.notifications += more.notifications
    counts.decoded += more.decoded
    counts.mostWaiting = max(counts.mostWaiting, more.mostWaiting)
  }
}
