public import Upload
internal import Values

/// The rule for when the gateway records. The raw value is the word in the configuration file.
public enum RecordingTime: String, Hashable, Sendable, CaseIterable {
  /// Record whenever the gateway runs.
  case always
  /// Record during certain hours of the local day.
  case hours
  /// Record during walks. While boards stream between walks, the first steps are not lost.
  case walking
  /// Record from a start command until a stop command.
  case command
}

/// Decides whether to record: always, during certain hours, during walks, or by command.
public struct RecordingWish: Hashable, Sendable {
  public struct Rule: Hashable, Sendable {
    public var time: RecordingTime
    /// The recording hours in local time, if the rule is `.hours`. Without hours, the gateway
    /// records all the time.
    public var hours: UploadHours?

    public init(_ time: RecordingTime = .always, hours: UploadHours? = nil) {
      self.time = time
      self.hours = hours
    }

    /// The rule, with the recording hours only if it depends on them.
    var effect: Rule { Rule(time, hours: time == .hours ? hours : nil) }
  }

  /// A user's command, which overrides the rule until the rule's decision changes.
  public enum Command: String, Hashable, Sendable, CaseIterable {
    case start
    case stop
  }

  public let rule: Rule
  private var command: Command?
  /// The rule's decision at the time of the command.
  private var ruleAtCommand = false

  public init(_ rule: Rule) {
    self.rule = rule
  }

  /// Accepts a command, given the rule's current decision.
  public mutating func take(_ command: Command, ruleSays says: Bool) {
    self.command = command
    ruleAtCommand = says
  }

  /// Returns whether to record, given the rule's current decision.
  ///
  /// A command applies until the rule's decision changes. If a user stops a recording in the
  /// evening, the gateway still records the next morning. If a user stops it during a walk, the
  /// gateway records the next walk.
  public mutating func wantsRecording(ruleSays says: Bool) -> Bool {
    if says != ruleAtCommand, !outlastsRule { command = nil }
    return command.map { $0 == .start } ?? says
  }

  /// Whether the command applies until the next command. A user cannot know when the rule considers
  /// a walk over, so a session that a user started lasts until that user stops it.
  private var outlastsRule: Bool {
    switch rule.time {
    case .always, .hours: false
    case .walking: command == .start
    case .command: true
    }
  }

  public mutating func take(_ command: Command, minuteOfDay: Int) {
    take(command, ruleSays: ruleSays(at: minuteOfDay))
  }

  /// Returns whether to record at a given minute of the local day.
  public mutating func wantsRecording(minuteOfDay: Int) -> Bool {
    wantsRecording(ruleSays: ruleSays(at: minuteOfDay))
  }

  /// Whether a user's start command still applies.
  public var isStarted: Bool { command == .start }

  /// Whether a user's stop command still applies.
  public var isStopped: Bool { command == .stop }

  private func ruleSays(at minute: Int) -> Bool {
    switch rule.time {
    // The walking rule always requires a recording, because the recorder itself detects walking.
    case .always, .walking: true
    case .hours: rule.hours?.contains(minute) ?? true
    case .command: false
    }
  }
}
