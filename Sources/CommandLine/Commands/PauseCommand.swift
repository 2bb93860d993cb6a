internal import Gateway
internal import Terminal
internal import Values

/// `footbridge pause`: has the running gateway keep no samples for a while.
struct PauseCommand: Verb {
  /// The gateway.
  var place: StatusPlace

  static let definition = CommandDefinition<PauseCommand>(
    name: "pause", summary: "have the running gateway keep no samples for a while",
    discussion: """
      Pauses the recording of the gateway that 'footbridge run' keeps running. Boards and \
      receiver stay linked; samples and positions that come are not kept, and the samples count \
      as lost, with the reason paused. The session stays open.

      The pause holds until 'footbridge resume', 'footbridge start' or 'footbridge stop', or \
      until the gateway is ended in order. After a crash, the session goes on and is still \
      paused. With 'when = hours' the pause ends with the hours, and with 'when = walking' \
      with the walk.
      """,
    initial: {
      PauseCommand(place: StatusPlace(configuration: ConfigurationLocation(environment: $0)))
    },
    options: StatusPlace.options.map { $0.lifted(into: \.place) })

  func run(_ console: Console) async throws -> ExitStatus {
    _ = try place.command("pause")
    try console.print(
      console.complete("The recording is paused. 'footbridge resume' goes on with it."))
    return .ok
  }
}

/// `footbridge resume`: has the running gateway go on after a pause.
struct ResumeCommand: Verb {
  /// The gateway.
  var place: StatusPlace

  static let definition = CommandDefinition<ResumeCommand>(
    name: "resume", summary: "have the running gateway go on after a pause",
    discussion: """
      Ends the pause that 'footbridge pause' began. A recording that is not paused goes on.
      """,
    initial: {
      ResumeCommand(place: StatusPlace(configuration: ConfigurationLocation(environment: $0)))
    },
    options: StatusPlace.options.map { $0.lifted(into: \.place) })

  func run(_ console: Console) async throws -> ExitStatus {
    _ = try place.command("resume")
    try console.print("The recording goes on.")
    return .ok
  }
}
