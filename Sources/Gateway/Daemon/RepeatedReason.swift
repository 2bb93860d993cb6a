internal import Values

/// Limits how often the log repeats a reason: each is logged at once, and again only after a while.
struct RepeatedReason: Sendable {
  /// Seconds until the same reason is reported again.
  static let quietSeconds = 300.0

  /// The time of each reason's last report. Two missing boards give two alternating reasons.
  private var told: [String: BootTime] = [:]

  /// Whether to report a reason now. Numbers in it are ignored: a full disk has a few bytes more or
  /// less at each attempt.
  mutating func tells(_ text: String, at now: BootTime) -> Bool {
    let text = text.split(separator: " ").filter { !$0.allSatisfy(\.isNumber) }
      .joined(separator: " ")
    told = told.filter { now.seconds(since: $0.value) < Self.quietSeconds }
    guard told[text] == nil else { return false }
    told[text] = now
    return true
  }
}
