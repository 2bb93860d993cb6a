/// The hours of the day, in the computer's local time, during which data may be uploaded. Outside
/// these hours, the connection may cost money, or other people may need it.
public struct UploadHours: Hashable, Sendable, CustomStringConvertible {
  public static let minutesOfDay = 1_440

  /// The minute of the day at which uploads may start.
  public let from: Int
  /// The minute of the day at which uploads must end. If this minute is not later than `from`, it
  /// is on the next day.
  public let to: Int

  /// Creates hours from a start and an end, in minutes after midnight. Returns `nil` if they are
  /// out of range or equal.
  public init?(from: Int, to: Int) {
    let day = 0..<Self.minutesOfDay
    guard day.contains(from), day.contains(to), from != to else { return nil }
    self.from = from
    self.to = to
  }

  /// Parses hours in the form `20:00-06:00`.
  public init?(_ text: String) {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
    guard ends.count == 2, let from = ends[0], let to = ends[1] else { return nil }
    // 24:00 means the start of the next day.
    self.init(from: from % Self.minutesOfDay, to: to % Self.minutesOfDay)
  }

  private static func minute(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      text.utf8.allSatisfy({ (0x30...0x3a).contains($0) }), let hour = Int(parts[0]),
      let minute = Int(parts[1]), minute < 60, hour < 24 || hour == 24 && minute == 0
    else { return nil }
    return 60 * hour + minute
  }

  /// Returns whether uploads are permitted at a minute of the day.
  public func contains(_ minute: Int) -> Bool {
    from < to ? (from..<to).contains(minute) : minute >= from || minute < to
  }

  /// Returns the number of minutes from `minute` to the start of the upload hours, or 0 during
  /// these hours.
  public func minutesUntilOpen(at minute: Int) -> Int {
    contains(minute) ? 0 : (from - minute + Self.minutesOfDay) % Self.minutesOfDay
  }

  /// The hours in the form `20:00-06:00`.
  public var description: String { "\(Self.text(from))-\(Self.text(to))" }

  /// Returns a minute of the day in the form `06:05`.
  public static func text(_ minute: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minute / 60)):\(two(minute % 60))"
  }
}
