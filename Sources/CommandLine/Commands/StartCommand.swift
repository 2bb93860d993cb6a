internal import Gateway
internal import Values

/// `footbridge start`: has the running gateway begin to record.
struct StartCommand: Verb {
  /// The gateway.
  var place: StatusPlace

  static let definition = CommandDefinition<StartCommand>(
    name: "start", summary: "have the running gateway record",
    discussion: """
      Tells the gateway that 'footbridge run' keeps running to record now. With 'when = hours' \
      the command holds until the hours next begin or end. With 'when = walking' a session \
      begins at once, without waiting for a walk, and lasts until 'footbridge stop'.
      """,
    initial: {
      StartCommand(place: StatusPlace(configuration: ConfigurationLocation(environment: $0)))
    },
    options: StatusPlace.options.map { $0.lifted(into: \.place) })

  func run(_ console: Console) async throws -> ExitStatus {
    try place.command("start", console) { _ in "The gateway begins to record." }
  }
}

/// `footbridge stop`: has the running gateway end its recording.
struct StopCommand: Verb {
  /// The gateway.
  var place: StatusPlace

  static let definition = CommandDefinition<StopCommand>(
    name: "stop", summary: "have the running gateway end its recording",
    discussion: """
      Tells the gateway that 'footbridge run' keeps running to close the session and to record \
      no other. The gateway itself goes on, and uploads. With 'when = hours' the command holds \
      until the hours next begin or end, with 'when = walking' until the walk is over, and \
      otherwise until 'footbridge start' or a restart of the gateway.
      """,
    initial: {
      StopCommand(place: StatusPlace(configuration: ConfigurationLocation(environment: $0)))
    },
    options: StatusPlace.options.map { $0.lifted(into: \.place) })

  func run(_ console: Console) async throws -> ExitStatus {
    try place.command("stop", console) { isOpen in
      isOpen
        ? "The gateway closes the session."
        : "No session is open, and the gateway begins none."
    }
  }
}

extension StatusPlace {
  /// Gives a command to the gateway, and prints that it is done. The words may depend on whether a
  /// session was open before.
  func command(
    _ command: String, _ console: Console, done: (_ wasOpen: Bool) -> String
  ) throws -> ExitStatus {
    let client = try client()
    let wasOpen = (try? client.status())?.recording.session != nil
    let times = RequestTimes(seconds: RequestTimes.commandSeconds)
    var answer = try client.ask(
      times.request(command), patience: RequestTimes.commandPatience, times: times)
    // A gateway of an earlier release knows no times.
    if answer["error"]?.text == "unknown request" { answer = try client.ask(command) }
    guard answer["done"]?.bool == true else {
      throw Complaint(
        "the gateway refuses '\(command)': \(answer["error"]?.text ?? "no reason given")",
        remedy: answer["remedy"]?.text
          ?? "see that it has the same version as this program, with 'footbridge status'")
    }
    try console.print(done(wasOpen))
    return .ok
  }
}
