internal import Gateway
internal import LinuxSystem
internal import Terminal
internal import Values

/// `footbridge start`: starts a recording of the running gateway.
struct StartCommand: Verb {
  /// The running gateway.
  var place: StatusPlace
  /// Seconds to wait for the session.
  var patience = Self.patience

  /// The search for boards that do not answer takes 15 seconds.
  private static let patience = 20.0

  static let definition = CommandDefinition<StartCommand>(
    name: "start", summary: "start a recording of the running gateway",
    discussion: """
      Makes the running gateway ('footbridge run') record now. With 'when = hours' the command \
      holds until the hours next begin or end. With 'when = walking' a session begins at once, \
      without waiting for a walk, and lasts until 'footbridge stop'.

      Waits up to \(Int(Self.patience)) seconds for the session. A gateway that crashes before the \
      session is open forgets the command. Afterwards it continues the session.
      """,
    initial: {
      StartCommand(place: StatusPlace(configuration: ConfigurationLocation(environment: $0)))
    },
    options: StatusPlace.options.map { $0.lifted(into: \.place) })

  func run(_ console: Console) async throws -> ExitStatus {
    let given = BootClock.now()
    _ = try place.command("start")
    if try await waitForSession(since: given, console) {
      try console.print("The gateway is recording.")
    }
    return .ok
  }

  /// Waits for the session. Returns `false`, after printing the reason, if it is not open in time.
  private func waitForSession(since given: BootTime, _ console: Console) async throws -> Bool {
    let client = try place.client()
    while true {
      let waited = BootClock.now().seconds(since: given)
      let status = try client.status()
      if status.recording.session != nil { return true }
      guard status.uptime >= waited else {
        throw Complaint(
          "the gateway was restarted, and forgot the command", remedy: "repeat it")
      }
      guard waited < patience else {
        try console.print(
          "No session is open yet. The gateway \(TerminalText.harmless(status.sentence)).\n"
            + console.complete("'footbridge status' shows when it records."))
        return false
      }
      try await Pause.seconds(0.2)
    }
  }
}

/// `footbridge stop`: ends the recording of the running gateway.
struct StopCommand: Verb {
  /// The running gateway.
  var place: StatusPlace

  static let definition = CommandDefinition<StopCommand>(
    name: "stop", summary: "stop the recording of the running gateway",
    discussion: """
      Makes the running gateway ('footbridge run') close the session and record no other. The \
      gateway itself continues, and uploads. With 'when = hours' the command holds until the hours \
      next begin or end, with 'when = walking' until the walk is over, and otherwise until \
      'footbridge start' or a restart of the gateway.
      """,
    initial: {
      StopCommand(place: StatusPlace(configuration: ConfigurationLocation(environment: $0)))
    },
    options: StatusPlace.options.map { $0.lifted(into: \.place) })

  func run(_ console: Console) async throws -> ExitStatus {
    let answer = try place.command("stop")
    // Gateways of earlier releases omit this member.
    try console.print(
      answer["wasOpen"]?.bool == false
        ? "No session is open, and the gateway starts none."
        : "The gateway closes the session.")
    return .ok
  }
}

extension StatusPlace {
  /// Gives a command to the gateway, and returns its answer once it is done.
  func command(_ command: String) throws(Complaint) -> JSON {
    let client = try client()
    let times = RequestTimes(seconds: RequestTimes.commandSeconds)
    var answer = try client.ask(
      times.request(command), patience: RequestTimes.commandPatience, times: times)
    // Gateways of earlier releases do not know times.
    if answer["error"]?.text == "unknown request" { answer = try client.ask(command) }
    guard answer["done"]?.bool == true else {
      throw Complaint(
        "the gateway refuses '\(command)': \(answer["error"]?.text ?? "no reason given")",
        remedy: answer["remedy"]?.text
          ?? "check with 'footbridge status' that it has the same version as this program")
    }
    return answer
  }
}
