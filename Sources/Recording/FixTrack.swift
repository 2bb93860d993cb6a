/// The fixes of a session in order of arrival, and the rule that gives a sample its position.
public struct FixTrack: Sendable {
  /// A fix is no longer used for samples when it is older than this.
  public static let defaultMaximumAge = 10.0

  /// In order of arrival.
  public private(set) var fixes: [Fix]
  /// Seconds after which a fix no longer serves as a position.
  public let maximumAge: Double
  /// Index behind the fix found last: samples are asked for nearly in order.
  private var cursor = 0

  /// A track of fixes, which are put into order.
  public init(_ fixes: [Fix] = [], maximumAge: Double = FixTrack.defaultMaximumAge) {
    self.fixes = fixes.sorted { $0.arrival < $1.arrival }
    self.maximumAge = maximumAge
  }

  /// Adds a fix that arrived after all those before it.
  public mutating func append(_ fix: Fix) {
    fixes.append(fix)
  }

  /// The last fix that had arrived at `time` and its age in seconds; none when it is too old.
  ///
  /// Constant time when asked in order of time.
  public mutating func position(at time: BootTime) -> (fix: Fix, age: Double)? {
    index(at: time).map { (fixes[$0], time.seconds(since: fixes[$0].arrival)) }
  }

  /// The place of that fix in `fixes`: for one who asks for every sample, hundreds of which have
  /// the same.
  public mutating func index(at time: BootTime) -> Int? {
    while cursor < fixes.count, fixes[cursor].arrival <= time { cursor += 1 }
    while cursor > 0, time < fixes[cursor - 1].arrival { cursor -= 1 }
    guard cursor > 0 else { return nil }
    return time.seconds(since: fixes[cursor - 1].arrival) <= maximumAge ? cursor - 1 : nil
  }
}
