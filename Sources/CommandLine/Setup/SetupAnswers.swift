internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import Positioning
internal import Terminal
internal import Upload
internal import Values

/// Answers of a setup that are given as options, by the names of the configuration's keys.
struct SetupAnswers: Hashable, Sendable {
  /// The user's name for this computer.
  var name: String?
  /// Bluetooth adapters to use.
  var adapters: [BoardAddress] = []
  /// Boards, as `NAME=ADDRESS`.
  var boards: [String] = []
  /// Placements of the boards, as `NAME=PLACE`.
  var placements: [String] = []
  /// The signals of every board.
  var sensors: [SensorRequest] = []
  /// The connection interval.
  var pace: LinkPace?
  var receiver: PositionSource?
  var recordingTime: RecordingTime?
  var hours: UploadHours?
  /// Path of the store.
  var store: String?
  /// Names of destinations; with a place, that of a new one.
  var destinations: [String] = []
  /// The address of a new destination.
  var url: String?
  /// The folder of a new destination.
  var folder: String?
  var tokenFile: String?

  /// The new destination, if there is one.
  var newDestination: NewDestination? {
    guard url != nil || folder != nil else { return nil }
    return NewDestination(
      name: destinations.first ?? "", url: url, folder: folder, tokenFile: tokenFile)
  }

  /// Words with a meaning in the guide, which cannot be the name of a new destination.
  static let destinationWords: Set = ["all", "new", "none"]

  private var destinationWord: String? { destinations.first { ["all", "none"].contains($0) } }

  /// The destinations that are given by their names.
  var namedDestinations: [String] { destinationWord == nil ? destinations : [] }

  /// Options that others among these answers need.
  var wanting: [String] {
    (newDestination != nil && destinations.count != 1 ? ["one --destination NAME"] : [])
      + (tokenFile != nil && url == nil ? ["--http URL"] : [])
  }

  /// The options that are required when no questions are asked.
  func missing(beside present: GatewayConfiguration) -> [String] {
    let hasHours = hours != nil || present.rule.hours != nil
    return (boards.isEmpty && present.boards.isEmpty ? ["--board NAME=ADDRESS"] : [])
      + (recordingTime == .hours && !hasHours ? ["--hours HOURS"] : []) + wanting
  }

  /// The configuration with these answers in it.
  func applied(to present: GatewayConfiguration) throws(Complaint) -> GatewayConfiguration {
    var configuration = present
    if let name { configuration.recording.gateway = name }
    if !adapters.isEmpty { configuration.recording.adapters = adapters }
    if !sensors.isEmpty { configuration.recording.sensors = sensors }
    if let pace { configuration.recording.pace = pace }
    if let receiver { configuration.recording.receiver = receiver }
    if let recordingTime { configuration.rule.time = recordingTime }
    if let hours { configuration.rule.hours = hours }
    if let store { configuration.store = store }
    if let name = newDestination?.name, Self.destinationWords.contains(name) {
      throw Self.usage(
        "a new destination cannot be called '\(name)'", "give it another name with --destination")
    }
    if let word = destinationWord {
      guard destinations.count == 1 else {
        throw Self.usage(
          "'--destination \(word)' cannot go with others", "give it alone, or leave it out")
      }
      configuration.destinations = []
      if word == "none" {
        configuration.uploads = .never
      } else if configuration.uploads == .never {
        configuration.uploads = .always
      }
    } else if !destinations.isEmpty {
      configuration.destinations = destinations
      if configuration.uploads == .never { configuration.uploads = .always }
    }
    if !boards.isEmpty {
      var given: [ConfiguredBoard] = []
      for text in boards { given.append(try Self.board(text, among: present.boards)) }
      configuration.boards = given
    }
    for text in placements {
      let (name, place) = try Self.pair(text, "--placement", "NAME=PLACE, as in left='left ankle'")
      guard let index = configuration.boards.firstIndex(where: { $0.name == name }),
        LineOfText.isFit(place)
      else {
        throw Self.usage(
          "'--placement' cannot be '\(TerminalText.quotation(text))'",
          "write NAME=PLACE with the name of a board: "
            + configuration.boards.map(\.name).joined(separator: ", "))
      }
      configuration.boards[index].placement = place.isEmpty ? nil : place
    }
    return configuration
  }

  private static func board(
    _ text: String, among present: [ConfiguredBoard]
  ) throws(Complaint) -> ConfiguredBoard {
    let form = "NAME=ADDRESS, as in left=C8:4B:AA:97:50:05"
    let (name, word) = try pair(text, "--board", form)
    guard BoardName.isFitForFile(name), let address = BoardAddress(word) else {
      throw usage(
        "'--board' cannot be '\(TerminalText.quotation(text))'",
        "write \(form); a name has \(BoardName.ruleInFile)")
    }
    let known = present.first { $0.address == address }
    return ConfiguredBoard(name: name, address: address, placement: known?.placement)
  }

  private static func pair(
    _ text: String, _ option: String, _ form: String
  ) throws(Complaint) -> (String, String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw usage("'\(option)' cannot be '\(TerminalText.quotation(text))'", "write \(form)")
    }
    return (String(parts[0]), String(parts[1]))
  }

  static func usage(_ message: String, _ remedy: String) -> Complaint {
    .usage(message, remedy: remedy, command: "\(Version.program) setup")
  }
}

/// A destination that a setup adds.
struct NewDestination: Hashable, Sendable {
  var name: String
  /// The address of an endpoint.
  var url: String?
  var folder: String?
  /// The file with a bearer token.
  var tokenFile: String?

  /// The command that adds it to a store.
  func command(_ store: StoreLocation) -> DestinationCommand {
    var command = DestinationCommand(store: store)
    command.action = .add
    command.name = name
    command.url = url
    command.folder = folder
    command.tokenFile = tokenFile
    return command
  }

  /// The same as words for a shell.
  func arguments(store path: String) -> [String] {
    ["destination", "add", name, "--store", path]
      + (url.map { ["--http", $0] } ?? []) + (folder.map { ["--folder", $0] } ?? [])
      + (tokenFile.map { ["--token-file", $0] } ?? [])
  }

  /// The obstacle to sending to it now; `nil` if there is none. Throws for settings that cannot be
  /// used.
  func obstacle(_ store: StoreLocation) async throws -> Setback? {
    let command = command(store)
    try DestinationChoice.check(command)
    let settings = try DestinationChoice.settings(command)
    return try await DestinationFactory.make(settings, agent: Version.agent).test()
  }
}
