internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import Positioning
internal import Terminal
internal import Upload
internal import Values

/// The answers that the user gave as options of `setup`, named after the keys of the configuration.
struct SetupAnswers: Hashable, Sendable {
  /// The name for this computer.
  var name: String?
  var adapters: [BoardAddress] = []
  /// The boards, as `NAME=ADDRESS`.
  var boards: [String] = []
  /// The boards' placements, as `NAME=PLACE`.
  var placements: [String] = []
  /// The signals to record from every board.
  var sensors: [SensorRequest] = []
  var pace: LinkPace?
  var receiver: PositionSource?
  var recordingTime: RecordingTime?
  var hours: UploadHours?
  var store: String?
  /// The names of destinations. If a URL or a folder is given, the list contains only the name of
  /// the new destination.
  var destinations: [String] = []
  /// The URL of the upload endpoint for a new destination.
  var url: String?
  /// The path of the folder for a new destination.
  var folder: String?
  var tokenFile: String?

  /// The new destination to add; `nil` if there is none.
  var newDestination: NewDestination? {
    guard url != nil || folder != nil else { return nil }
    return NewDestination(
      name: destinations.first ?? "", url: url, folder: folder, tokenFile: tokenFile)
  }

  /// Words that cannot be the name of a new destination, because they have a special meaning in the
  /// guide.
  static let destinationWords: Set = ["all", "new", "none"]

  private var destinationWord: String? { destinations.first { ["all", "none"].contains($0) } }

  /// The destinations that are given by name.
  var namedDestinations: [String] { destinationWord == nil ? destinations : [] }

  /// The missing options that these answers require.
  var wanting: [String] {
    (newDestination != nil && destinations.count != 1 ? ["one --destination NAME"] : [])
      + (tokenFile != nil && url == nil ? ["--http URL"] : [])
  }

  /// Returns the missing options that are required if no questions are asked.
  func missing(beside present: GatewayConfiguration) -> [String] {
    let hasHours = hours != nil || present.rule.hours != nil
    return (boards.isEmpty && present.boards.isEmpty ? ["--board NAME=ADDRESS"] : [])
      + (recordingTime == .hours && !hasHours ? ["--hours HOURS"] : []) + wanting
  }

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
        "a new destination cannot be called '\(name)'", "choose another name with --destination")
    }
    if let word = destinationWord {
      guard destinations.count == 1 else {
        throw Self.usage(
          "'--destination \(word)' cannot be combined with other destinations",
          "use it alone, or leave it out")
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
      for text in boards {
        let board = try Self.board(text, among: present.boards)
        if given.contains(where: { $0.name.lowercased() == board.name.lowercased() }) {
          throw Self.usage(
            "two boards have the name '\(board.name)'",
            "choose different names; names are not case-sensitive")
        }
        if given.contains(where: { $0.address == board.address }) {
          throw Self.usage("the board \(board.address) is given twice", "give each board once")
        }
        given.append(board)
      }
      configuration.boards = given
    }
    for text in placements {
      let (name, place) = try Self.pair(text, "--placement", "NAME=PLACE, as in left='left ankle'")
      guard let index = configuration.boards.firstIndex(where: { $0.name == name }),
        LineOfText.isFit(place)
      else {
        throw Self.usage(
          "'--placement' cannot be '\(TerminalText.quotation(text))'",
          "use NAME=PLACE, where NAME is one of these boards: "
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

/// A destination that the setup will add to the store.
struct NewDestination: Hashable, Sendable {
  var name: String
  /// The URL of an upload endpoint.
  var url: String?
  var folder: String?
  /// The path of a file with a bearer token.
  var tokenFile: String?

  func command(_ store: StoreLocation) -> DestinationCommand {
    var command = DestinationCommand(store: store)
    command.action = .add
    command.name = name
    command.url = url
    command.folder = folder
    command.tokenFile = tokenFile
    return command
  }

  /// Returns the arguments of the `footbridge` command that adds this destination to the store at
  /// `path`.
  func arguments(store path: String) -> [String] {
    ["destination", "add", name, "--store", path]
      + (url.map { ["--http", $0] } ?? []) + (folder.map { ["--folder", $0] } ?? [])
      + (tokenFile.map { ["--token-file", $0] } ?? [])
  }

  /// Returns the reason why uploads to this destination would fail now; `nil` if they would
  /// succeed. Throws if the settings are unusable.
  func obstacle(_ store: StoreLocation) async throws -> Setback? {
    let command = command(store)
    try DestinationChoice.check(command)
    let settings = try DestinationChoice.settings(command)
    return try await DestinationFactory.make(settings, agent: Version.agent).test()
  }
}
