public import Upload
internal import Values

/// The times at which the gateway records; the raw value is the word in the configuration file.
public enum RecordingTime: String, Hashable, Sendable, CaseIterable {
  /// As long as it runs.
  case always
  /// At certain hours of the local day.
  case hours
  /// During walks. Boards stream all the time, so that no first step is lost.
  case walking
  /// After the command to start, until the command to stop.
  case command
}

/// Decides whether to record: always, at certain hours, during walks, or by command.
public struct RecordingWish: Hashable, Sendable {
  public struct Rule: Hashable, Sendable {
    public var time: RecordingTime
    /// The hours of the local day, with `.hours`; without them it records all the time.
    public var hours: UploadHours?

    public init(_ time: RecordingTime = .always, hours: UploadHours? = nil) {
      self.time = time
      self.hours = hours
    }

    /// The rule without ineffective hours.
    var effect: Rule { Rule(time, hours: time == .hours ? hours : nil) }
  }

  /// A person's command, which holds until the rule itself changes its mind.
  public enum Command: String, Hashable, Sendable, CaseIterable {
    /// Record now.
    case start
    /// Do not record now.
    case stop
  }

  public let rule: Rule
  private var command: Command?
  /// The rule's verdict when the command came.
  private var ruleAtCommand = false

  public init(_ rule: Rule) {
    self.rule = rule
  }

  /// Takes a command, given the rule's verdict.
  public mutating func take(_ command: Command, ruleSays says: Bool) {
    self.command = command
    ruleAtCommand = says
  }

  /// Whether to record, given the rule's verdict.
  ///
  /// A command holds until the rule changes its mind. A person who stops a recording in the evening
  /// does not lose the next morning, and one who stops it during a walk gets the next walk
  /// recorded.
  public mutating func wantsRecording(ruleSays says: Bool) -> Bool {
    if says != ruleAtCommand, !outlastsRule { command = nil }
    return command.map { $0 == .start } ?? says
  }

  /// Whether the command holds until the next command. A person cannot know when the rule considers
  /// a walk over: a session that a person began lasts until that person stops it.
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

  /// Whether to record at a minute of the local day.
  public mutating func wantsRecording(minuteOfDay: Int) -> Bool {
    wantsRecording(ruleSays: ruleSays(at: minuteOfDay))
  }

  /// Whether a person asked for the recording.
  public var isStarted: Bool { command == .start }

  /// Whether a person stopped the recording that the rule wants.
  public var isStopped: Bool { command == .stop }

  private func ruleSays(at minute: Int) -> Bool {
    switch rule.time {
    // The recorder detects walking itself.
    case .always, .walking: true
    case .hours: rule.hours?.contains(minute) ?? true
    case .command: false
    }
  }
}
