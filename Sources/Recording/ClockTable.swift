/// Pairs of boot time and universal time, from which a session is dated.
///
/// Stored beside the samples and applied when they are read: a session begun without a clock is
/// dated as soon as one pair is known, and nothing stored has to change.
public struct ClockTable: Sendable {
  /// Where the universal time of a pair came from.
  public enum Source: UInt8, Hashable, Sendable, Comparable {
    /// The system clock, which nothing has synchronised.
    case system = 0
    /// The system clock while the kernel calls it synchronised.
    case synchronised = 1
    /// A satellite fix.
    case satellites = 2

    /// Orders by trust.
    public static func < (left: Source, right: Source) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// One instant seen on both clocks.
  public struct Entry: Hashable, Sendable {
    /// The instant on the boot clock.
    public var boot: BootTime
    /// The same instant as universal time.
    public var utc: UTCTime
    /// Where `utc` came from.
    public var source: Source

    /// One instant seen on both clocks.
    public init(boot: BootTime, utc: UTCTime, source: Source) {
      self.boot = boot
      self.utc = utc
      self.source = source
    }
  }

  /// The source the table dates by: the most trusted one it holds.
  public let source: Source?
  /// Universal time minus boot time, nanoseconds.
  private let offset: Int64

  /// A table of these entries.
  public init(_ entries: [Entry]) {
    source = entries.map(\.source).max()
    // A fix arrives after the instant it speaks of, so every pair errs to the same side and the
    // largest offset is the one that waited least.
    offset =
      entries.filter { [source] in $0.source == source }
      // Wrapping: what a damaged store says of its clock may date wrongly, but must not end us.
      .map { $0.utc.nanoseconds &- $0.boot.nanoseconds }.max() ?? 0
  }

  /// The universal time of an instant of this boot; `nil` when no pair is known.
  public func utc(at time: BootTime) -> UTCTime? {
    source == nil ? nil : UTCTime(nanoseconds: time.nanoseconds &+ offset)
  }

  /// The instant of this boot at a universal time; `nil` when no pair is known.
  public func boot(at utc: UTCTime) -> BootTime? {
    guard source != nil else { return nil }
    let (nanoseconds, isBeyond) = utc.nanoseconds.subtractingReportingOverflow(offset)
    // An instant that no clock can show lies before or after everything.
    return BootTime(nanoseconds: isBeyond ? (utc.nanoseconds < 0 ? .min : .max) : nanoseconds)
  }
}
