internal import Upload
internal import Values

extension GatewayStatus {
  /// The status in a sentence, without times that change each second: what works, or what does not.
  public var sentence: String { "\(verdict)\(level == .warning ? "" : ":") \(news)" }

  var verdict: String {
    switch level {
    case .fault: "does not work"
    case .warning: "works, but"
    case .unknown, .ok: "works"
    }
  }

  /// The first trouble, or else the activity.
  var news: String {
    guard let first = troubles.first else { return activity }
    let silent = silentBoards
    guard silent.count > 1, silent.contains(first.subject) else {
      return "\(first.subject): \(first.text)"
    }
    let names = silent.joined(separator: ", ")
    return silent.count == boards.count
      ? "no board is sending (\(names))" : "\(silent.count) boards are not sending (\(names))"
  }

  /// The present activity in a few words.
  public var activity: String {
    switch recording.phase {
    case .waiting:
      if recording.isStopped {
        "stopped by command"
      } else {
        switch recording.rule.time {
        case .hours: "waits for its hours, \(recording.rule)"
        case .command: "waits for 'footbridge start'"
        // For the moment before the search begins.
        case .always, .walking: "looks for its boards"
        }
      }
    case .starting: "looks for its boards"
    case .retrying: "retries the recording"
    case .standby: recording.isStopped ? "stopped by command" : "waits for walking"
    case .ending: recording.session == nil ? "disconnects its boards" : "closes the session"
    case .recording where recording.pause != nil: "is paused and keeps no samples"
    case .recording:
      "records " + sendingBoards
        + (receiver == nil
          ? "" : receiver?.isCurrent == true ? " with positions" : ", no position yet")
    }
  }
}

extension GatewayStatus {
  /// The names of boards that should be sending and are not.
  private var silentBoards: [String] {
    let faults = Set(troubles.filter { $0.level == .fault }.map(\.subject))
    return boards.filter {
      faults.contains($0.name) && ($0.sampleAge ?? .infinity) >= Self.silentSeconds
    }.map(\.name)
  }

  /// The number of sending boards, as in `2 boards` or `1 of 2 boards`.
  private var sendingBoards: String {
    let sending = boards.count { ($0.sampleAge ?? .infinity) < Self.silentSeconds }
    let all = "\(boards.count) \(boards.count == 1 ? "board" : "boards")"
    return sending == boards.count ? all : "\(sending) of \(all)"
  }
}

extension GatewayStatus.Recording {
  /// The recording rule, for a person with a phone; empty if a command decides instead.
  var when: String {
    if isStopped { return "" }
    return switch rule.time {
    case .always: "the gateway always records"
    case .walking: "the gateway records while someone walks"
    case .hours: "the gateway records at these hours: \(rule)"
    case .command: session == nil ? "the gateway records when someone presses Start" : ""
    }
  }
}

extension RecordingWish.Rule: LosslessStringConvertible {
  /// The rule in the configuration's words; hours as `07:00-19:00`.
  public var description: String {
    effect.hours?.description ?? time.rawValue
  }

  /// `nil` if the text is not a rule of the configuration.
  public init?(_ text: String) {
    switch text {
    case "always": self.init(.always)
    case "walking": self.init(.walking)
    case "command": self.init(.command)
    default:
      guard let hours = UploadHours(text) else { return nil }
      self.init(.hours, hours: hours)
    }
  }
}
