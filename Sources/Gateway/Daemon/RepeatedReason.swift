internal import Values

/// Limits repetition in the log: a new reason is logged immediately, but a repeated reason is
/// logged again only after a while.
struct RepeatedReason: Sendable {
  /// Seconds until the same reason is reported again.
  static let quietSeconds = 300.0

  /// The time of the last log entry for each reason. Two missing boards produce two alternating
  /// reasons.
  private var told: [String: BootTime] = [:]

  /// Returns whether to log a reason now. Reasons that differ only in their numbers are considered
  /// the same: for example, the number of free bytes on a full disk varies from attempt to attempt.
  mutating func tells(_ text: String, at now: BootTime) -> Bool {
    let text = text.split(separator: " ").filter { !$0.allSatisfy(\.isNumber) }
      .joined(separator: " ")
    told = told.filter { now.seconds(since: $0.value) < Self.quietSeconds }
    guard told[text] == nil else { return false }
    told[text] = now
    return true
  }
}
