public import Values

/// Pairs of boot time and universal time that date a session.
///
/// The pairs are stored alongside the samples and applied when the samples are read. A session that
/// started without a clock is therefore dated as soon as one pair is known, without any change to
/// stored data.
public struct ClockTable: Sendable {
  /// The source of the universal time in a pair.
  public enum Source: UInt8, Hashable, Sendable, CaseIterable {
    /// The system clock while it is not synchronised. Its error is unbounded.
    case system = 0
    /// The system clock while the kernel considers it synchronised.
    case synchronised = 1
    /// The universal time in a satellite receiver's fixes.
    case satellites = 2

    /// Whether the source dates samples reliably.
    public var isTrusted: Bool { self != .system }

    /// The source's name in tables and JSON.
    public var name: String {
      switch self {
      case .system: "system"
      case .synchronised: "ntp"
      case .satellites: "gps"
      }
    }
  }

  /// The name reported in place of a source's name for a session whose date is unknown.
  public static let undatedName = "unsynced"

  /// Simultaneous readings of the boot clock and of universal time.
  public struct Entry: Hashable, Sendable {
    public var boot: BootTime
    public var utc: UTCTime
    public var source: Source

    public init(boot: BootTime, utc: UTCTime, source: Source) {
      self.boot = boot
      self.utc = utc
      self.source = source
    }

    /// Universal time minus boot time. The subtraction wraps around: invalid clock values in a
    /// damaged store may yield incorrect dates, but must not crash the program.
    fileprivate var offset: Int64 { utc.nanoseconds &- boot.nanoseconds }
  }

  /// A disagreement between the system clock and the satellite receiver.
  public enum Disagreement: Hashable, Sendable, CustomStringConvertible {
    /// Seconds by which the system clock is behind the satellite receiver; negative if it is ahead.
    case seconds(Double)
    /// The receiver's week number has rolled over: the reported date is this many times 1,024 weeks
    /// too early.
    case weekRollover(turns: Int)

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

  /// Nanoseconds by which the system clock and the satellite receiver may differ without a
  /// disagreement.
  private static let tolerance = 1e9
  /// Nanoseconds in 1,024 weeks, after which a receiver's week number rolls over.
  private static let weekTurn = 619_315_200e9
  /// Nanoseconds by which the offsets of consecutive satellite pairs may differ. A greater
  /// difference means that the receiver has corrected its time.
  private static let longestStep = 0.5e9
  /// Minimum time span in nanoseconds over which the boot clock's rate is measured.
  private static let learning: Int64 = 1_200_000_000_000
  /// Minimum number of pairs from which the boot clock's rate is measured.
  private static let learningPairs = 10
  /// The boot clock's largest relative error that is considered plausible.
  private static let steepest = 300e-6

  /// The source that dates the session; `nil` if the table is empty.
  public let source: Source?
  /// The disagreement between the table's sources; `nil` if they agree to within a second, or if
  /// there is only one source.
  public let disagreement: Disagreement?
  /// Universal time minus boot time at `origin`, in nanoseconds.
  private let offset: Int64
  private let origin: Int64
  /// Nanoseconds that the boot clock loses against universal time, per nanosecond.
  private let slope: Double

  /// A synchronised system clock takes precedence over the satellite receiver, whose pairs include
  /// a delay, provided that the two agree to within a second, apart from a rollover of the week
  /// number. Otherwise, the satellite receiver takes precedence. An unsynchronised clock is used
  /// only if there is no other source, and is then reported as the source.
  public init(_ entries: [Entry]) {
    // The clock may have been adjusted between the entries, correctly or not. The latest entry is
    // the best choice.
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

  public var isTrusted: Bool { source?.isTrusted ?? false }

  public var sourceName: String { source?.name ?? Self.undatedName }

  /// Converts an instant of this boot to universal time; `nil` if no pair is known.
  public func utc(at time: BootTime) -> UTCTime? {
    source == nil ? nil : UTCTime(nanoseconds: time.nanoseconds &+ offset(at: time))
  }

  /// Converts a universal time to an instant of this boot; `nil` if no pair is known.
  public func boot(at utc: UTCTime) -> BootTime? {
    guard source != nil else { return nil }
    let (nanoseconds, isBeyond) = utc.nanoseconds.subtractingReportingOverflow(offset)
    // Clamp an instant outside the clock's range to the first or last representable instant.
    guard !isBeyond else { return BootTime(nanoseconds: utc.nanoseconds < 0 ? .min : .max) }
    guard slope != 0 else { return BootTime(nanoseconds: nanoseconds) }
    let elapsed = (Double(nanoseconds &- origin) / (1 + slope)).rounded()
    return BootTime(nanoseconds: Int64(exactly: elapsed).map { origin &+ $0 } ?? nanoseconds)
  }

  @inline(__always)
  private func offset(at time: BootTime) -> Int64 {
    slope == 0 ? offset : offset &+ Int64((Double(time.nanoseconds &- origin) * slope).rounded())
  }

  /// Returns the pairs that date a session. If none of its own pairs is trusted, trusted pairs from
  /// other sessions during the same boot are added. All these pairs refer to the same clock.
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

  /// Returns the line along the upper edge of the satellite pairs' offsets. A fix arrives after the
  /// instant that it reports, so all pairs err in the same direction. The pair with the shortest
  /// delay has the largest offset.
  private static func line(_ entries: [Entry]) -> Line? {
    let entries = latestThatAgree(entries.sorted { $0.boot < $1.boot })
    guard let first = entries.first else { return nil }
    let slope = slope(of: entries)
    let above = entries.map { height($0, over: first, slope) }.max() ?? 0
    return Line(
      offset: first.offset &+ Int64(above.rounded()), origin: first.boot.nanoseconds, slope: slope)
  }

  /// Returns by how much an entry's offset exceeds a line with this slope through another entry.
  private static func height(_ entry: Entry, over first: Entry, _ slope: Double) -> Double {
    Double(entry.offset &- first.offset)
      - slope * Double(entry.boot.nanoseconds &- first.boot.nanoseconds)
  }

  /// Returns the nanoseconds that the boot clock loses against universal time, per nanosecond. This
  /// is the slope of a line through two pairs: the pair with the shortest delay in the first
  /// quarter of the time span, and the pair with the shortest delay in the last quarter. Parts
  /// shorter than a quarter would yield a more exact slope, but would be less likely to contain a
  /// pair with a short delay.
  private static func slope(of entries: [Entry]) -> Double {
    guard let first = entries.first, let last = entries.last else { return 0 }
    let span = last.boot.nanoseconds &- first.boot.nanoseconds
    guard entries.count >= learningPairs, span >= learning else { return 0 }
    let early = entries.filter { $0.boot.nanoseconds &- first.boot.nanoseconds <= span / 4 }
    let late = entries.filter { last.boot.nanoseconds &- $0.boot.nanoseconds <= span / 4 }
    var slope = 0.0
    // The pairs with the shortest delay can only be chosen with a known slope, and the slope
    // depends on these pairs, so the computation iterates.
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

  /// Returns the pairs since the last step in the receiver's time. At first, the receiver may not
  /// know the leap seconds.
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
  /// Whether the disagreement is due to the system clock.
  fileprivate var isFault: Bool {
    switch self {
    case .seconds: true
    case .weekRollover: false
    }
  }
}
