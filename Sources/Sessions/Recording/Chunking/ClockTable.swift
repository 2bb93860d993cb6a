public import Values

/// Pairs of boot time and universal time, which date a session.
///
/// The pairs are stored beside the samples and applied on reading: a session begun without a clock
/// is dated as soon as one pair is known, and no stored data have to change.
public struct ClockTable: Sendable {
  /// The source of the universal time of a pair.
  public enum Source: UInt8, Hashable, Sendable, CaseIterable {
    /// The system clock without synchronisation: its error is unbounded.
    case system = 0
    /// The system clock while the kernel considers it synchronised.
    case synchronised = 1
    /// Satellite fixes.
    case satellites = 2

    /// Whether the source dates samples reliably.
    public var isTrusted: Bool { self != .system }

    /// One word for tables and JSON.
    public var name: String {
      switch self {
      case .system: "system"
      case .synchronised: "ntp"
      case .satellites: "gps"
      }
    }
  }

  /// The word for a session without a date.
  public static let undatedName = "unsynced"

  /// One instant as read from both clocks.
  public struct Entry: Hashable, Sendable {
    /// The instant on the boot clock.
    public var boot: BootTime
    /// The same instant as universal time.
    public var utc: UTCTime
    /// Source of `utc`.
    public var source: Source

    /// A pair with the given parts.
    public init(boot: BootTime, utc: UTCTime, source: Source) {
      self.boot = boot
      self.utc = utc
      self.source = source
    }

    /// Universal time minus boot time. Wrapping: invalid clock values of a damaged store may give
    /// wrong dates, but must not crash the program.
    fileprivate var offset: Int64 { utc.nanoseconds &- boot.nanoseconds }
  }

  /// A disagreement between the system clock and the satellites.
  public enum Disagreement: Hashable, Sendable, CustomStringConvertible {
    /// The system clock is behind the satellites by this many seconds, or ahead of them if
    /// negative.
    case seconds(Double)
    /// The receiver's date is this many times 1,024 weeks in the past: its week number rolled over.
    case weekRollover(turns: Int)

    /// A short description.
    public var description: String {
      switch self {
      case .seconds(let seconds):
        "the system clock is \(Int64(seconds.magnitude.rounded())) s "
          + (seconds < 0 ? "ahead of" : "behind") + " the satellites"
      case .weekRollover(let turns):
        "the receiver's week number rolled over: its date is off by \(turns * 1_024) weeks"
      }
    }
  }

  /// Nanoseconds by which system clock and satellites may differ without a disagreement.
  private static let tolerance = 1e9
  /// Nanoseconds in 1,024 weeks, after which receivers count from zero again.
  private static let weekTurn = 619_315_200e9
  /// Nanoseconds by which the offsets of consecutive satellite pairs may differ. A greater
  /// difference is a receiver that has corrected its time.
  private static let longestStep = 0.5e9
  /// Nanoseconds, and pairs, after which the rate of the boot clock is measured, and its greatest
  /// plausible error.
  private static let learning: Int64 = 1_200_000_000_000
  private static let learningPairs = 10
  private static let steepest = 300e-6

  /// The source that dates the session; `nil` if none does.
  public let source: Source?
  /// The disagreement of the table's sources, if more than a second; `nil` if they agree, or if
  /// there are fewer than two.
  public let disagreement: Disagreement?
  /// Universal time minus boot time at `origin`, and its rate of growth.
  private let offset: Int64
  private let origin: Int64
  private let slope: Double

  /// A table of these entries.
  ///
  /// A synchronised system clock takes precedence over the satellites, whose pairs include a
  /// receiver's delay, as long as the two agree to a second. Otherwise the satellites take
  /// precedence. An unsynchronised clock is used only if there is no other source, and is then
  /// named as the source.
  public init(_ entries: [Entry]) {
    // The clock may have been set correctly or incorrectly meanwhile; the latest entry is the best.
    let synchronised = entries.last { $0.source == .synchronised }
    let system = synchronised ?? entries.last { $0.source == .system }
    var satellites = Self.line(entries.filter { $0.source == .satellites })
    var disagreement: Disagreement?
    if let line = satellites, let system {
      let difference = Double(line.offset(at: system.boot) &- system.offset)
      let turns = (-difference / Self.weekTurn).rounded()
      if turns > 0, abs(difference + turns * Self.weekTurn) < 86_400e9 {
        disagreement = .weekRollover(turns: Int(turns))
        satellites?.offset &+= Int64(turns * Self.weekTurn)
      } else if difference.magnitude > Self.tolerance {
        disagreement = .seconds(difference / 1e9)
      }
    }
    self.disagreement = disagreement
    if let satellites, synchronised == nil || disagreement.map(\.isFault) ?? false {
      source = .satellites
      (offset, origin, slope) = (satellites.offset, satellites.origin, satellites.slope)
    } else {
      source = system?.source
      (offset, origin, slope) = (system?.offset ?? 0, 0, 0)
    }
  }

  /// Whether samples are dated reliably.
  public var isTrusted: Bool { source?.isTrusted ?? false }

  /// One word for the source that dates the session.
  public var sourceName: String { source?.name ?? Self.undatedName }

  /// The universal time of an instant of this boot; `nil` if no pair is known.
  public func utc(at time: BootTime) -> UTCTime? {
    source == nil ? nil : UTCTime(nanoseconds: time.nanoseconds &+ offset(at: time))
  }

  /// The instant of this boot at a universal time; `nil` if no pair is known.
  public func boot(at utc: UTCTime) -> BootTime? {
    guard source != nil else { return nil }
    let (nanoseconds, isBeyond) = utc.nanoseconds.subtractingReportingOverflow(offset)
    // An instant outside the clock's range is before or after everything.
    guard !isBeyond else { return BootTime(nanoseconds: utc.nanoseconds < 0 ? .min : .max) }
    guard slope != 0 else { return BootTime(nanoseconds: nanoseconds) }
    let elapsed = (Double(nanoseconds &- origin) / (1 + slope)).rounded()
    return BootTime(nanoseconds: Int64(exactly: elapsed).map { origin &+ $0 } ?? nanoseconds)
  }

  @inline(__always)
  private func offset(at time: BootTime) -> Int64 {
    slope == 0 ? offset : offset &+ Int64((Double(time.nanoseconds &- origin) * slope).rounded())
  }

  /// The pairs that date a session: its own. If these contain no trusted time, the trusted pairs of
  /// other sessions of the same boot are added, since all of them share one clock.
  public static func entries<Failure>(
    own: [Entry], sameBoot: () throws(Failure) -> [Entry]
  ) throws(Failure) -> [Entry] {
    if own.contains(where: { $0.source.isTrusted }) { return own }
    return own + (try sameBoot().filter { $0.source.isTrusted })
  }

  // MARK: Satellites

  private struct Line {
    var offset: Int64
    var origin: Int64
    var slope: Double

    func offset(at time: BootTime) -> Int64 {
      offset &+ Int64((Double(time.nanoseconds &- origin) * slope).rounded())
    }
  }

  /// The line above the offsets of the satellites' pairs. A fix arrives after its instant, so every
  /// pair errs in the same direction, and the pair with the shortest delay has the largest offset.
  private static func line(_ entries: [Entry]) -> Line? {
    let entries = latestThatAgree(entries.sorted { $0.boot < $1.boot })
    guard let first = entries.first else { return nil }
    let slope = slope(of: entries)
    let above = entries.map { height($0, over: first, slope) }.max() ?? 0
    return Line(
      offset: first.offset &+ Int64(above.rounded()), origin: first.boot.nanoseconds, slope: slope)
  }

  /// The height of an entry's offset above a line through another entry.
  private static func height(_ entry: Entry, over first: Entry, _ slope: Double) -> Double {
    Double(entry.offset &- first.offset)
      - slope * Double(entry.boot.nanoseconds &- first.boot.nanoseconds)
  }

  /// The nanoseconds that the boot clock loses per nanosecond. The line joins the pairs with the
  /// shortest delay in the first and in the last quarter of the time. A longer distance would be
  /// more exact, but shorter quarters would be less likely to contain a pair with hardly any delay.
  private static func slope(of entries: [Entry]) -> Double {
    guard let first = entries.first, let last = entries.last else { return 0 }
    let span = last.boot.nanoseconds &- first.boot.nanoseconds
    guard entries.count >= learningPairs, span >= learning else { return 0 }
    let early = entries.filter { $0.boot.nanoseconds &- first.boot.nanoseconds <= span / 4 }
    let late = entries.filter { last.boot.nanoseconds &- $0.boot.nanoseconds <= span / 4 }
    var slope = 0.0
    // The pairs with the shortest delay depend on the slope, and the slope depends on these pairs.
    for _ in 0..<3 {
      func best(_ part: [Entry]) -> Entry {
        part.reduce(part[0]) {
          height($0, over: first, slope) < height($1, over: first, slope) ? $1 : $0
        }
      }
      let (from, to) = (best(early), best(late))
      slope =
        Double(to.offset &- from.offset)
        / Double(to.boot.nanoseconds &- from.boot.nanoseconds)
    }
    return slope.magnitude <= steepest ? slope : 0
  }

  /// The pairs after the last step of the receiver's time: the receiver may not know the leap
  /// seconds at first.
  private static func latestThatAgree(_ entries: [Entry]) -> [Entry] {
    var start = entries.count
    while start > 0 {
      let entry = entries[start - 1]
      if start < entries.count {
        let next = entries[start]
        let wandering = steepest * Double(next.boot.nanoseconds &- entry.boot.nanoseconds)
        let step = Double(next.offset &- entry.offset).magnitude
        if step > longestStep + wandering { break }
      }
      start -= 1
    }
    return Array(entries[start...])
  }
}

extension ClockTable.Disagreement {
  /// Whether the system clock is at fault.
  fileprivate var isFault: Bool {
    switch self {
    case .seconds: true
    case .weekRollover: false
    }
  }
}
