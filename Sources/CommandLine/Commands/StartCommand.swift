internal import Gateway
internal import LinuxSystem
internal import Terminal
internal import Values

/// `footbridge start`: makes the running gateway start a recording.
struct StartCommand: Verb {
  /// The running gateway's socket, or the configuration that names it.
  var place: StatusPlace
  /// The participant to record; `nil` for the configured one.
  var participant: String?
  /// Maximum seconds to wait until the session is open.
  var patience = Self.patience

  /// The default maximum wait in seconds. A search for boards that do not respond takes 15 seconds.
  private static let patience = 20.0

  static let definition = CommandDefinition<StartCommand>(
    name: "start", summary: "start a recording on the running gateway",
    discussion: """
      Makes the running gateway ('footbridge run') record now. With 'when = hours' the command \
      applies until the hours next begin or end. With 'when = walking' a session begins at once, \
      without waiting for a walk, and lasts until 'footbridge stop'.

      Waits up to \(Int(Self.patience)) seconds for the session. If the gateway crashes before \
      the session is open, it forgets the command. If it crashes later, it continues the session.

      With --participant, the sessions until the next 'footbridge stop' belong to this \
      participant. Otherwise they belong to the participant in the configuration, if there is one.
      """,
    initial: {
      StartCommand(place: StatusPlace(configuration: ConfigurationLocation(environment: $0)))
    },
    options: [
      .option(
        "participant", .participant, help: "the study participant who wears the boards",
        sets: \.participant)
    ] + StatusPlace.options.map { $0.lifted(into: \.place) })

  func run(_ console: Console) async throws -> ExitStatus {
    let given = BootClock.now()
    _ = try place.command("start", participant.map { [.init("participant", $0)] } ?? [])
    guard let recording = try await waitForSession(since: given, console) else { return .ok }
    if let participant, recording.participant?.lowercased() != participant.lowercased() {
      throw Complaint(
        "the gateway did not set the participant",
        remedy: "correct the session with 'footbridge session edit last --participant "
          + "\(ShellText.quoted(participant))'\nupdate the gateway if it runs an earlier release")
    }
    let name = recording.participant.map { " participant \(TerminalText.harmless($0))" } ?? ""
    try console.print("The gateway is recording\(name).")
    return .ok
  }

  /// Waits until the session is open. If the wait times out, prints the reason and returns `nil`.
  private func waitForSession(
    since given: BootTime, _ console: Console
  ) async throws -> GatewayStatus.Recording? {
    let client = try place.client()
    while true {
      let waited = BootClock.now().seconds(since: given)
      let status = try client.status()
      if status.recording.session != nil, status.recording.phase != .ending {
        return status.recording
      }
      guard status.uptime >= waited else {
        throw Complaint(
          "the gateway was restarted and lost the command", remedy: "run the command again")
      }
      guard waited < patience else {
        try console.print(
          "No session is open yet. The gateway \(TerminalText.harmless(status.sentence)).\n"
            + console.complete("'footbridge status' shows when the gateway records."))
        return nil
      }
      try await Pause.seconds(0.2)
    }
  }
}

/// `footbridge stop`: ends the running gateway's recording.
struct StopCommand: Verb {
  /// The running gateway's socket, or the configuration that names it.
  var place: StatusPlace

  static let definition = CommandDefinition<StopCommand>(
    name: "stop", summary: "stop the recording on the running gateway",
    discussion: """
      Makes the running gateway ('footbridge run') close the session and not start another. The \
      gateway itself keeps running and uploading. With 'when = hours' the command applies until the \
      hours next begin or end, with 'when = walking' until the walk is over, and otherwise until \
      'footbridge start' or a restart of the gateway.
      """,
    initial: {
      StopCommand(place: StatusPlace(configuration: ConfigurationLocation(environment: $0)))
    },
    options: StatusPlace.options.map { $0.lifted(into: \.place) })

  func run(_ console: Console) async throws -> ExitStatus {
    let answer = try place.command("stop")
    // Responses from earlier releases have no member `wasOpen`. In that case, a session is assumed
    // to have been open.
    try console.print(
      answer["wasOpen"]?.bool == false
        ? "No session is open, and the gateway will not start one."
        : "The gateway is closing the session.")
    return .ok
  }
}

extension StatusPlace {
  /// Sends a command to the gateway. `members` are added to the request. Returns the response,
  /// which arrives after the gateway has performed the command.
  func command(
    _ command: String, _ members: [JSONValue.Member] = []
  ) throws(Complaint) -> JSON {
    let client = try client()
    let times = RequestTimes(seconds: RequestTimes.commandSeconds)
    var answer = try client.ask(
      times.request(command, members), patience: RequestTimes.commandPatience, times: times)
    // Gateways that run an earlier release reject requests that contain a time and a deadline, so
    // the command is sent without them.
    if members.isEmpty, answer["error"]?.text == "unknown request" {
      answer = try client.ask(command)
    }
    guard answer["done"]?.bool == true else {
      throw Complaint(
        "the gateway rejected '\(command)': \(answer["error"]?.text ?? "no reason given")",
        remedy: answer["remedy"]?.text
          ?? "use 'footbridge status' to check that the gateway runs the same version as this "
          + "program")
    }
    return answer
  }
}
