public import Values

/// Pairs of boot time and universal time, from which a session is dated.
///
/// Stored beside the samples and applied when they are read: a session begun without a clock is
/// dated as soon as one pair is known, and nothing stored has to change.
public struct ClockTable: Sendable {
  /// Where the universal time of a pair came from.
  public enum Source: UInt8, Hashable, Sendable, CaseIterable {
    /// The system clock, which nothing has synchronised: it may be wrong by anything.
    case system = 0
    /// The system clock while the kernel calls it synchronised.
    case synchronised = 1
    /// Satellite fixes.
    case satellites = 2

    /// Whether samples are dated by it without a doubt.
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

  /// The word for a session that nothing dates.
  public static let undatedName = "unsynced"

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

    /// Universal time minus boot time. Wrapping: what a damaged store says of its clock may date
    /// wrongly, but must not end us.
    fileprivate var offset: Int64 { utc.nanoseconds &- boot.nanoseconds }
  }

  /// How the system clock and the satellites disagree.
  public enum Disagreement: Hashable, Sendable, CustomStringConvertible {
    /// The system clock is behind the satellites by so many seconds, or ahead of them if negative.
    case seconds(Double)
    /// The receiver is so many times 1,024 weeks in the past: its count of weeks has turned.
    case weekRollover(turns: Int)

    /// A few words.
    public var description: String {
      switch self {
      case .seconds(let seconds):
        "the system clock is \(Int64(seconds.magnitude.rounded())) s "
          + (seconds < 0 ? "ahead of" : "behind") + " the satellites"
      case .weekRollover(let turns):
        "the receiver's count of weeks has turned: its date is off by \(turns * 1_024) weeks"
      }
    }
  }

  /// Nanoseconds by which system clock and satellites may differ before that is worth a word.
  private static let tolerance = 1e9
  /// Nanoseconds in 1,024 weeks, after which receivers count from the beginning.
  private static let weekTurn = 619_315_200e9
  /// Nanoseconds from one pair of the satellites to the next by which their offsets may differ:
  /// more is a receiver that has learned better.
  private static let longestStep = 0.5e9
  /// Nanoseconds, and pairs, after which the rate of the boot clock is measured, and the most it
  /// may be off.
  private static let learning: Int64 = 1_200_000_000_000
  private static let learningPairs = 10
  private static let steepest = 300e-6

  /// What the table dates by; `nil` if it dates nothing.
  public let source: Source?
  /// How its sources disagree, by more than a second; `nil` where there are not two.
  public let disagreement: Disagreement?
  /// Universal time minus boot time at `origin`, and how it grows.
  private let offset: Int64
  private let origin: Int64
  private let slope: Double

  /// A table of these entries.
  ///
  /// A synchronised system clock goes before the satellites, whose pairs wait for a receiver, as
  /// long as the two agree to a second; where they do not, the satellites are believed. An
  /// unsynchronised clock dates only where there is nothing else, and says so as its source.
  public init(_ entries: [Entry]) {
    // The clock was set right or wrong meanwhile: the latest knows best.
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

  /// Whether samples are dated without a doubt.
  public var isTrusted: Bool { source?.isTrusted ?? false }

  /// One word for what it dates by.
  public var sourceName: String { source?.name ?? Self.undatedName }

  /// The universal time of an instant of this boot; `nil` when no pair is known.
  public func utc(at time: BootTime) -> UTCTime? {
    source == nil ? nil : UTCTime(nanoseconds: time.nanoseconds &+ offset(at: time))
  }

  /// The instant of this boot at a universal time; `nil` when no pair is known.
  public func boot(at utc: UTCTime) -> BootTime? {
    guard source != nil else { return nil }
    let (nanoseconds, isBeyond) = utc.nanoseconds.subtractingReportingOverflow(offset)
    // An instant that no clock can show lies before or after everything.
    guard !isBeyond else { return BootTime(nanoseconds: utc.nanoseconds < 0 ? .min : .max) }
    guard slope != 0 else { return BootTime(nanoseconds: nanoseconds) }
    let elapsed = (Double(nanoseconds &- origin) / (1 + slope)).rounded()
    return BootTime(nanoseconds: Int64(exactly: elapsed).map { origin &+ $0 } ?? nanoseconds)
  }

  @inline(__always)
  private func offset(at time: BootTime) -> Int64 {
    slope == 0 ? offset : offset &+ Int64((Double(time.nanoseconds &- origin) * slope).rounded())
  }

  /// The pairs a session is dated by: its own, and where these know no trusted time, the trusted
  /// ones of other sessions of the same boot, since one clock ran through all of them.
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

  /// The line above the offsets of the satellites' pairs: a fix arrives after the instant it speaks
  /// of, so every pair errs to the same side, and the largest offset is the one that waited least.
  private static func line(_ entries: [Entry]) -> Line? {
    let entries = latestThatAgree(entries.sorted { $0.boot < $1.boot })
    guard let first = entries.first else { return nil }
    let slope = slope(of: entries)
    let above = entries.map { height($0, over: first, slope) }.max() ?? 0
    return Line(
      offset: first.offset &+ Int64(above.rounded()), origin: first.boot.nanoseconds, slope: slope)
  }

  /// By how much an entry's offset lies above a line through another.
  private static func height(_ entry: Entry, over first: Entry, _ slope: Double) -> Double {
    Double(entry.offset &- first.offset)
      - slope * Double(entry.boot.nanoseconds &- first.boot.nanoseconds)
  }

  /// What the boot clock loses in each nanosecond: the way from the pair that waited least in the
  /// first quarter of the time to that of the last. A longer way would be more exact, and a shorter
  /// quarter less likely to have a pair that hardly waited.
  private static func slope(of entries: [Entry]) -> Double {
    guard let first = entries.first, let last = entries.last else { return 0 }
    let span = last.boot.nanoseconds &- first.boot.nanoseconds
    guard entries.count >= learningPairs, span >= learning else { return 0 }
    let early = entries.filter { $0.boot.nanoseconds &- first.boot.nanoseconds <= span / 4 }
    let late = entries.filter { last.boot.nanoseconds &- $0.boot.nanoseconds <= span / 4 }
    var slope = 0.0
    // What waited least shows by the slope, and the slope by what waited least.
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

  /// The pairs from the last step of the receiver's time on: it may not know the leap seconds at
  /// first.
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
  /// Whether the system clock is to blame.
  fileprivate var isFault: Bool {
    switch self {
    case .seconds: true
    case .weekRollover: false
    }
  }
}
