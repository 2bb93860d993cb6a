internal import Values

/// Decides how often the log says the same: each reason at once, and again only after a while.
struct RepeatedReason: Sendable {
  /// Seconds until the same reason is told again.
  static let quietSeconds = 300.0

  /// When each reason was told. Two boards that are away give two reasons by turns.
  private var told: [String: BootTime] = [:]

  /// Whether a reason is to be told now. Its numbers do not make it another: a full disk has some
  /// bytes more or less at each try.
  mutating func tells(_ text: String, at now: BootTime) -> Bool {
    let text = text.split(separator: " ").filter { !$0.allSatisfy(\.isNumber) }
      .joined(separator: " ")
    told = told.filter { now.seconds(since: $0.value) < Self.quietSeconds }
    guard told[text] == nil else { return false }
    told[text] = now
    return true
  }
}
