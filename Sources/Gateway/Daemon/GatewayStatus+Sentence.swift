internal import Upload
internal import Values

extension GatewayStatus {
  /// The status in one sentence, without times that change every second: the first problem, or else
  /// the current activity.
  public var sentence: String { "\(verdict)\(level == .warning ? "" : ":") \(news)" }

  var verdict: String {
    switch level {
    case .fault: "does not work"
    case .warning: "works, but"
    case .unknown, .ok: "works"
    }
  }

  /// The first problem, or else the current activity.
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

  public var activity: String {
    switch recording.phase {
    case .waiting:
      if recording.isStopped {
        "stopped by command"
      } else {
        switch recording.rule.time {
        case .hours: "waiting for its recording hours, \(recording.rule)"
        case .command: "waiting for 'footbridge start'"
        // This text appears only briefly, until the search for boards starts.
        case .always, .walking: "looking for its boards"
        }
      }
    case .starting: "looking for its boards"
    case .retrying: "retrying the recording"
    case .standby: recording.isStopped ? "stopped by command" : "waiting for walking"
    case .ending:
      recording.session == nil ? "disconnecting its boards" : "closing the session"
    case .recording where recording.pause != nil: "paused and not storing samples"
    case .recording:
      "recording " + sendingBoards
        + (receiver == nil
          ? "" : receiver?.isCurrent == true ? " with positions" : ", no position yet")
    }
  }
}

extension GatewayStatus {
  /// The names of the boards that should be sending but are not.
  private var silentBoards: [String] {
    let faults = Set(troubles.filter { $0.level == .fault }.map(\.subject))
    return boards.filter {
      faults.contains($0.name) && ($0.sampleAge ?? .infinity) >= Self.silentSeconds
    }.map(\.name)
  }

  /// The number of boards that are sending, for example `2 boards` or `1 of 2 boards`.
  private var sendingBoards: String {
    let sending = boards.count { ($0.sampleAge ?? .infinity) < Self.silentSeconds }
    let all = "\(boards.count) \(boards.count == 1 ? "board" : "boards")"
    return sending == boards.count ? all : "\(sending) of \(all)"
  }
}

extension GatewayStatus.Recording {
  /// The recording rule in words, for display on the page. Empty after a stop command. Under the
  /// rule `command`, also empty during a session.
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
  /// The rule as written in the configuration file, for example `walking`, or `07:00-19:00` for
  /// hours.
  public var description: String {
    effect.hours?.description ?? time.rawValue
  }

  /// Parses a rule as written in the configuration file.
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
