public import Upload
internal import Values

/// Decides whether the daemon should be recording: always, at certain hours, or by command.
public struct RecordingWish: Hashable, Sendable {
  /// The rule of the configuration.
  public enum Rule: Hashable, Sendable {
    /// All the time.
    case always
    /// At these hours of the day, by local time.
    case hours(UploadHours)
    /// After the command to start, until the command to stop.
    case command
  }

  /// A command from a person, which holds until the rule itself changes its mind.
  public enum Command: String, Hashable, Sendable, CaseIterable {
    /// Record now.
    case start
    /// Do not record now.
    case stop
  }

  /// The rule of the configuration.
  public let rule: Rule
  private var command: Command?
  /// What the rule said when the command came.
  private var ruleAtCommand = false

  /// A wish by a rule.
  public init(_ rule: Rule) {
    self.rule = rule
  }

  /// Takes a command at a minute of the local day.
  public mutating func take(_ command: Command, minuteOfDay: Int) {
    self.command = command
    ruleAtCommand = ruleSays(at: minuteOfDay)
  }

  /// Whether to record at a minute of the local day.
  ///
  /// With hours, a command holds until the next beginning or end of the hours: a person who stops a
  /// recording in the evening does not lose the next morning.
  public mutating func wantsRecording(minuteOfDay: Int) -> Bool {
    let says = ruleSays(at: minuteOfDay)
    if says != ruleAtCommand, rule != .command { command = nil }
    return command.map { $0 == .start } ?? says
  }

  /// Minutes until the hours of the rule begin; `nil` without hours.
  public func minutesUntilHours(minuteOfDay: Int) -> Int? {
    guard case .hours(let hours) = rule else { return nil }
    return hours.minutesUntilOpen(at: minuteOfDay)
  }

  /// Whether a person stopped the recording that the rule wants.
  public var isStopped: Bool { command == .stop }

  private func ruleSays(at minute: Int) -> Bool {
    switch rule {
    case .always: true
    case .hours(let hours): hours.contains(minute)
    case .command: false
    }
  }
}
