internal import Gateway
internal import Terminal
internal import Values

/// `footbridge pause`: pauses the running gateway's recording.
struct PauseCommand: Verb {
  /// The running gateway's socket, or the configuration that names it.
  var place: StatusPlace

  static let definition = CommandDefinition<PauseCommand>(
    name: "pause", summary: "pause the recording on the running gateway",
    discussion: """
      Pauses the recording of the running gateway ('footbridge run'). The boards and the receiver \
      stay connected. Samples and positions that arrive are not stored, and the samples count as \
      lost, with the reason 'paused'. The session stays open.

      The pause lasts until 'footbridge resume', 'footbridge start' or 'footbridge stop', or until \
      the gateway is stopped normally. After a crash, the session continues and is still paused. \
      With 'when = hours' the pause also ends when the hours end, and with 'when = walking' when \
      the walk ends.
      """,
    initial: {
      PauseCommand(place: StatusPlace(configuration: ConfigurationLocation(environment: $0)))
    },
    options: StatusPlace.options.map { $0.lifted(into: \.place) })

  func run(_ console: Console) async throws -> ExitStatus {
    _ = try place.command("pause")
    try console.print(
      console.complete("The recording is paused. 'footbridge resume' continues it."))
    return .ok
  }
}

/// `footbridge resume`: resumes the running gateway's paused recording.
struct ResumeCommand: Verb {
  /// The running gateway's socket, or the configuration that names it.
  var place: StatusPlace

  static let definition = CommandDefinition<ResumeCommand>(
    name: "resume", summary: "resume the recording on the running gateway",
    discussion: """
      Ends the pause that 'footbridge pause' began. A recording that is not paused continues.
      """,
    initial: {
      ResumeCommand(place: StatusPlace(configuration: ConfigurationLocation(environment: $0)))
    },
    options: StatusPlace.options.map { $0.lifted(into: \.place) })

  func run(_ console: Console) async throws -> ExitStatus {
    _ = try place.command("resume")
    try console.print("The recording continues.")
    return .ok
  }
}
