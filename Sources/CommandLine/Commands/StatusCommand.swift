internal import Gateway
internal import LinuxSystem
internal import Terminal
internal import Values

/// `footbridge status`: shows the running gateway's state.
struct StatusCommand: Verb {
  /// The running gateway's socket, or the configuration that names it.
  var place: StatusPlace
  /// Whether to update the status every second until a signal arrives.
  var watches = false
  var reportsJSON = false

  static let options: [Option<StatusCommand>] =
    [
      .flag("watch", help: "update the status every second, until q or Ctrl-C", sets: \.watches),
      .flag("json", help: "print the status as JSON, one object per line", sets: \.reportsJSON),
    ] + StatusPlace.options.map { $0.lifted(into: \.place) }

  static let definition = CommandDefinition<StatusCommand>(
    name: "status", summary: "show whether the running gateway is working",
    discussion: """
      Shows the status of the running gateway ('footbridge run'). The first lines say whether it \
      is working, and list problems with their duration and remedies. Boards, positions, clock, \
      session, store and uploads follow, with their ages.

      The exit status is 0 if the gateway is working, and 1 if something that should be recorded is \
      not recorded, or if no gateway responds.
      """,
    initial: {
      StatusCommand(place: StatusPlace(configuration: ConfigurationLocation(environment: $0)))
    },
    options: options)

  func run(_ console: Console) async throws -> ExitStatus {
    let client = try place.client()
    guard watches else {
      let status = try client.status()
      try console.print(
        reportsJSON
          ? status.json.text
          : StatusText.lines(status).map(console.complete).joined(separator: "\n"))
      return status.works ? .ok : .failed
    }
    let signals = Signals(console)
    let keys = reportsJSON ? nil : LiveKeys(.view, on: console, changed: {})
    defer { keys?.end() }
    var works = false
    while signals.status == .ok {
      works = try look(client, keys, console)
      // The output can no longer be written, so the loop ends.
      if let failure = console.failure { throw failure }
      // The result can be ignored, because the next pass of the loop checks for a signal.
      _ = try? await signals.cancelling { try await Task.sleep(for: .seconds(1)) }
    }
    console.finishPainting()
    return works ? .ok : .failed
  }

  /// Shows the status once. Returns whether the gateway is working. If the gateway does not
  /// respond, shows the failure instead of throwing it, because the gateway may be restarting.
  private func look(_ client: StatusClient, _ keys: LiveKeys?, _ console: Console) throws -> Bool {
    let footer = keys?.lines(width: console.width) ?? []
    do throws(Complaint) {
      let status = try client.status()
      if reportsJSON {
        try Self.print(status.json.text, console)
      } else if console.isTerminal {
        console.paint(
          StatusText.lines(status).map { ViewLine(console.complete($0)) }, footer: footer)
      } else {
        console.say(StatusText.headline(status).joined(separator: "\n"))
      }
      return status.works
    } catch {
      if reportsJSON {
        try console.print(
          JSONValue.object([.init("works", false), .init("summary", error.message)])
            .text)
      } else if console.isTerminal {
        console.paint(
          [ViewLine(error.message), ViewLine("  " + console.complete(error.remedy))],
          footer: footer)
      } else {
        console.say(error.message)
      }
      return false
    }
  }

  private static func print(_ text: String, _ console: Console) throws(Complaint) {
    do throws(OutputError) {
      try console.print(text)
    } catch {
      throw Complaint(explaining: error)
    }
  }
}
