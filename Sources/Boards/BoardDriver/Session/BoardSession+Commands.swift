internal import MetaWearProtocol
internal import Recording
internal import Values

/// Commands that apply to all of the board's streams.
extension BoardSession {
  /// Returns the commands that start these streams. Subscriptions come first, then data-ready
  /// outputs, power, algorithms that process samples, and timers.
  func startCommands(of streams: [PlannedStream]) -> [Command] {
    let timers = streams.compactMap { $0.timer.map { Timer.start($0).command } }
    return streams.flatMap(\.stream.subscription).unique
      + streams.flatMap(\.setup.enable).unique
      + streams.flatMap(\.setup.powerOn).unique
      // All streams' outputs must be enabled before the fusion algorithm starts.
      + streams.flatMap(\.setup.run).reversed().unique.reversed()
      + timers
  }

  /// Commands that stop all streams. The board also stores them and runs them when the link is
  /// lost, so that no sensor is left running until the battery is empty.
  var stopCommands: [Command] {
    streams.flatMap(\.setup.powerOff).unique
      + streams.compactMap { $0.timer.map { Timer.stop($0).command } }
  }

  /// Commands that end all sample notifications, remove all events and processors, even those left
  /// by earlier connections, and remove the session's timers. They also turn off the LED.
  var clearance: [Command] {
    var commands = modules.sampleRegisters.map { Command($0, [0]) }
    if modules.has(.event) { commands.append(MetaWearProtocol.Event.removeAll.command) }
    if modules.has(.dataProcessor) { commands.append(DataProcessor.removeAll.command) }
    // A reset board has forgotten its timers.
    if !isRebooted {
      commands += streams.compactMap { $0.timer.map { Timer.remove($0).command } }
    }
    if modules.has(.led) { commands.append(LED.stopAndClear) }
    return commands
  }

  /// Seconds between reads of the battery state.
  private static let batterySeconds = 300.0

  /// Seconds between reads of the board's sample counts. A sample loss may remain undetected for
  /// this long.
  private static let tallySeconds = 1.0

  /// Reads that the gateway must repeat, because the board does not repeat them on its own.
  var polls: [(Command, seconds: Double)] {
    let samples: [(Command, seconds: Double)] = streams.compactMap { stream in
      guard stream.timer == nil, let poll = stream.setup.poll else { return nil }
      return (poll, stream.pollSeconds)
    }
    return samples
      + streams.filter(\.stream.description.isTallied).compactMap(\.stream.tally)
      .map { ($0, seconds: Self.tallySeconds) }
      + (modules.tellsBattery ? [(Settings.readBattery, seconds: Self.batterySeconds)] : [])
  }

  /// Returns the actions that ping the board by reading a value. The response arrives after
  /// everything that the board sent before it.
  func ping() -> [Action] {
    let question =
      modules.has(.logging) ? Logging.readTime : .readModuleInfo(SetupStep.order[0])
    return [.write(question, acknowledged: false), .wait(seconds: Self.answerSeconds)]
  }

  static func isAnswerToPing(_ notification: Notification) -> Bool {
    switch notification {
    case .timeReference, .moduleInfo(SetupStep.order[0], _): true
    default: false
    }
  }

  func writes(_ commands: [Command], acknowledgingLast: Bool = false) -> [Action] {
    commands.enumerated().map { index, command in
      .write(command, acknowledged: acknowledgingLast && index == commands.count - 1)
    }
  }
}
