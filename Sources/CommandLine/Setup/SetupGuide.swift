internal import BoardDriver
internal import Gateway
internal import LinuxSystem
internal import MetaWearProtocol
internal import Positioning
internal import Storage
internal import Terminal
internal import Upload
internal import Values

/// Asks a setup's questions in order. Writes neither the configuration nor the store.
///
/// Skips each question that an option already answers. The current configuration supplies the
/// default answers.
struct SetupGuide {
  let answers: SetupAnswers
  let surroundings: any SetupSurroundings
  /// Asks the user; `nil` to use only the options and the current configuration.
  let people: Questioner?
  /// The configuration before the setup.
  let present: GatewayConfiguration

  /// The configuration with all answers given so far.
  private(set) var configuration: GatewayConfiguration
  /// The new destination that the user wants to add; `nil` if there is none.
  private(set) var newDestination: NewDestination?
  /// Warnings about options that may be incorrect but are used anyway.
  private(set) var doubts: [(event: String, reason: String, remedy: String)] = []
  /// The boards to which the setup has connected.
  private var met: [BoardAddress: SetupBoard] = [:]

  init(
    _ answers: SetupAnswers, from present: GatewayConfiguration,
    _ surroundings: any SetupSurroundings, _ people: Questioner?
  ) throws(Complaint) {
    self.answers = answers
    self.surroundings = surroundings
    self.people = people
    self.present = present
    configuration = try answers.applied(to: present)
    newDestination = answers.newDestination
  }

  /// Asks all questions that the options do not answer, and then checks the receiver and the
  /// destinations.
  mutating func run() async throws {
    if let people {
      if answers.adapters.isEmpty { try await chooseAdapters(people) }
      if answers.boards.isEmpty { try await chooseBoards(people) }
      try await chooseSensors(people)
      if answers.receiver == nil { try await chooseReceiver(people) }
      if answers.destinations.isEmpty { try await chooseDestinations(people) }
      try chooseTime(people)
    }
    try await examineReceiver()
    await examineDestinations()
    try await testDestination()
  }

  // MARK: Adapters

  private mutating func chooseAdapters(_ people: Questioner) async throws {
    let adapters = try await surroundings.adapters()
    guard adapters.count > 1 else {
      if let one = adapters.first {
        people.tell(["", "Bluetooth adapter: \(one.name) \(one.address)"])
        return
      }
      throw Complaint(
        "there is no Bluetooth adapter", remedy: "plug one in; 'footbridge doctor' shows more",
        status: .unavailable)
    }
    people.tell(
      ["", "Bluetooth adapters:"]
        + adapters.enumerated().map { number, adapter in
          "  \(number + 1)  \(adapter.name)  \(adapter.address)" + (adapter.isOn ? "" : "  (off)")
        })
    let chosen = configuration.recording.adapters.compactMap { address in
      adapters.firstIndex { $0.address == address }.map { "\($0 + 1)" }
    }
    let numbers = try people.ask(
      "Which ones? Enter their numbers, separated by spaces, or 'all'",
      standard: chosen.isEmpty ? "all" : chosen.joined(separator: " "),
      advice: "enter numbers from the list, or 'all'"
    ) { $0 == "all" ? [] : Self.numbers($0, upTo: adapters.count) }
    configuration.recording.adapters = numbers.map { adapters[$0 - 1].address }
  }

  /// Parses the numbers of list entries. Returns `nil` for other text, repeated numbers, and
  /// numbers that are not in the list.
  private static func numbers(_ text: String, upTo count: Int) -> [Int]? {
    let words = text.split(separator: " ")
    let numbers = words.compactMap { Int($0) }
    guard !words.isEmpty, numbers.count == words.count,
      numbers.allSatisfy({ (1...count).contains($0) }), Set(numbers).count == numbers.count
    else { return nil }
    return numbers
  }

  // MARK: Boards

  private mutating func chooseBoards(_ people: Questioner) async throws {
    var heard: [Sighting] = []
    while true {
      people.tell(["", "Listening for boards. Press the button of each board to wake it."])
      heard = try await surroundings.boards(configuration.recording.adapters)
      if !heard.isEmpty { break }
      people.tell(["No boards were found."])
      guard try people.confirm("Listen again?", standard: configuration.boards.isEmpty) else {
        if configuration.boards.isEmpty {
          throw Complaint(
            "no boards were found, and nothing was written",
            remedy:
              "charge the boards, move closer, and switch Bluetooth off on phones that were connected to them",
            status: .boardNotFound)
        }
        return
      }
    }
    people.tell(["", "Boards in range, the strongest signal first:"] + list(heard))
    let known = heard.indices.filter { index in
      configuration.boards.contains { $0.address == heard[index].address }
    }
    let usual = known.isEmpty ? Array(heard.indices) : known
    let numbers = try people.ask(
      "Which ones should be recorded? Enter their numbers, separated by spaces",
      standard: usual.map { "\($0 + 1)" }.joined(separator: " "),
      advice: "enter numbers from the list"
    ) { Self.numbers($0, upTo: heard.count) }
    var boards: [ConfiguredBoard] = []
    for number in numbers {
      if let board = try await board(heard[number - 1].address, beside: boards, people) {
        boards.append(board)
      }
    }
    for board in configuration.boards
    where !heard.contains(where: { $0.address == board.address }) {
      let name = TerminalText.harmless(board.name)
      if try people.confirm("'\(name)' in the configuration was not found. Keep it?") {
        boards.append(board)
      }
    }
    guard !boards.isEmpty else {
      throw Complaint(
        "no board was chosen, and nothing was written", remedy: "run the setup again",
        status: .boardNotFound)
    }
    configuration.boards = boards
  }

  private func list(_ heard: [Sighting]) -> [String] {
    var table = TextTable([.init("", .right), .init("address"), .init("name"), .init("signal")])
    for (index, sighting) in heard.enumerated() {
      let known = configuration.boards.first { $0.address == sighting.address }
      table.append([
        "\(index + 1)", sighting.address.description,
        TerminalText.harmless(known?.name ?? sighting.name ?? "–"),
        SignalStrength.text(sighting.rssi),
      ])
    }
    return table.lines.map { "  " + $0 }
  }

  /// Makes a board blink, and asks for a name. Returns `nil` if the user says that it is not the
  /// right board.
  private mutating func board(
    _ address: BoardAddress, beside others: [ConfiguredBoard], _ people: Questioner
  ) async throws -> ConfiguredBoard? {
    people.tell(["", "Connecting to \(address)."])
    do {
      let board = try await surroundings.meet(address, configuration.recording.adapters)
      met[address] = board
      let battery = board.battery.map { ", battery \($0) %" } ?? ""
      people.tell([
        "\(board.model)\(battery)."
          + (board.blinks ? " The board blinks green for ten seconds." : " The board has no LED.")
      ])
      guard try people.confirm("Is this the right board?") else { return nil }
    } catch let error where !(error is FieldSurroundings.Interruption) && !Self.isEnd(error) {
      let complaint = Complaint(explaining: error)
      people.tell([complaint.message] + complaint.remedy.split(separator: "\n").map { "  \($0)" })
      guard try people.confirm("Record it anyway?", standard: false) else { return nil }
    }
    let known = configuration.boards.first { $0.address == address }
    let name = try people.ask(
      "Name of the board", standard: known?.name ?? Self.usualName(beside: others),
      advice: "a name has \(BoardName.ruleInFile), and differs from the names of other boards"
    ) { text in
      let isFree = !others.contains { $0.name.lowercased() == text.lowercased() }
      return isFree && BoardName.isFitForFile(text) ? text : nil
    }
    let place = try people.ask(
      "Where is the board worn, as in 'left ankle'?", .text("TEXT"), standard: known?.placement,
      none: "unknown", key: "board \(name).placement")
    return ConfiguredBoard(name: name, address: address, placement: place)
  }

  /// Returns whether an error ends the whole setup. Other errors end only the steps for a single
  /// board.
  private static func isEnd(_ error: any Error) -> Bool { error is Complaint }

  private static func usualName(beside others: [ConfiguredBoard]) -> String {
    let names = ["left", "right"] + (3...BoardDirectory.mostAtOnce).map { "board\($0)" }
    return names.first { name in !others.contains { $0.name.lowercased() == name } } ?? "board"
  }

  // MARK: Sensors

  private mutating func chooseSensors(_ people: Questioner) async throws {
    guard answers.sensors.isEmpty else {
      people.tell([""] + ForecastText.lines(try forecast(), within: people.width))
      return
    }
    people.tell([
      "", "Sensors: 'footbridge sensors' lists all signals with their rates and ranges.",
    ])
    while true {
      let usual = configuration.recording.sensors.map(\.text).joined(separator: " ")
      configuration.recording.sensors = try people.ask(
        "What should every board measure? Signals separated by spaces", standard: usual,
        advice: Parameter.sensor.argument.advice
      ) { text in
        let requests = text.split(separator: " ").map { Parameter.sensor.value(String($0)) }
        let given = requests.compactMap { $0 }
        return given.isEmpty || given.count < requests.count ? nil : given
      }
      do {
        people.tell([""] + ForecastText.lines(try forecast(), within: people.width) + [""])
        if try people.confirm("Use these settings?") { return }
      } catch let error as BoardFailure {
        let complaint = Complaint(explaining: error)
        people.tell([complaint.message, "  " + complaint.remedy])
        configuration.recording.sensors = present.recording.sensors
      }
    }
  }

  /// Returns the forecast for the answers given so far.
  func forecast() throws -> Forecast {
    var boards = ForecastFacts.boards(
      configuration.boards, store: configuration.store, status: nil)
    for (index, board) in configuration.boards.enumerated() {
      guard let met = met[board.address] else { continue }
      boards[index].model = met.model
      boards[index].isModelGuessed = false
      boards[index].charge = met.battery.map { .init(percent: $0, age: nil) }
    }
    return try Forecast(configuration, boards: boards, store: configuration.store, status: nil)
  }

  // MARK: Receiver

  private mutating func chooseReceiver(_ people: Questioner) async throws {
    let ports = await surroundings.ports()
    let pins = await surroundings.pins()
    people.tell(
      [
        "",
        "Receiver: "
          + (ports.isEmpty ? "none is plugged in." : ports.joined(separator: ", ")),
      ] + (pins.isEmpty ? [] : ["If one is connected to the pins: " + pins.joined(separator: ", ")])
    )
    let usual =
      configuration.recording.receiver
      ?? (present.boards.isEmpty ? ports.first : nil)
      .flatMap { PositionSource($0) }
    while true {
      configuration.recording.receiver = try people.ask(
        "Position source: a port, gpsd, fixed:LATITUDE,LONGITUDE or none", .positions,
        standard: usual, none: "none", key: "receiver.gps")
      guard let source = configuration.recording.receiver else { return }
      if let obstacle = await surroundings.obstacle(of: source) {
        people.tell([obstacle.message, "  " + obstacle.remedy])
        continue
      }
      let troubles = await surroundings.troubles(of: source)
      guard !troubles.isEmpty else { return }
      people.tell(troubles.flatMap { [$0.text, "  " + $0.remedy] })
      if try people.confirm("Use it anyway?", standard: false) { return }
    }
  }

  /// Examines the position source that was given as an option. Throws if the source can never
  /// provide positions. Adds a warning if its receiver is missing.
  private mutating func examineReceiver() async throws {
    guard let source = answers.receiver else { return }
    if let obstacle = await surroundings.obstacle(of: source) {
      throw Complaint(obstacle.message, remedy: obstacle.remedy)
    }
    doubts += await surroundings.troubles(of: source).map {
      (event: "receiver not verified", reason: $0.text, remedy: $0.remedy)
    }
  }

  // MARK: Destinations

  /// Adds a warning for each named destination that the store does not contain.
  private mutating func examineDestinations() async {
    guard newDestination == nil, !answers.namedDestinations.isEmpty else { return }
    let known = await surroundings.destinations(in: configuration.store)
    for name in answers.namedDestinations
    where !known.contains(where: { $0.lowercased() == name.lowercased() }) {
      doubts.append(
        (
          event: "unknown destination", reason: "\(configuration.store) has no '\(name)'",
          remedy: StoredDestination.addition(of: name)
        ))
    }
  }

  private mutating func chooseDestinations(_ people: Questioner) async throws {
    let known = await surroundings.destinations(in: configuration.store)
    people.tell([
      "",
      "Destinations: "
        + (known.isEmpty
          ? "none yet. 'all' includes any that you add later."
          : known.joined(separator: ", ") + "."),
    ])
    let chosen =
      configuration.destinations.isEmpty ? "all" : configuration.destinations.joined(separator: " ")
    let names = try people.ask(
      "Where should recordings go? Names separated by spaces, 'all', 'new' or 'none'",
      standard: configuration.uploads == .never ? "none" : chosen,
      advice: "enter destination names, 'all' for every known one, or 'new' to add one"
    ) { text -> [String]? in
      let words = text.split(separator: " ").map(String.init)
      if SetupAnswers.destinationWords.contains(text) { return words }
      return !words.isEmpty && words.allSatisfy { known.contains($0) } ? words : nil
    }
    switch names {
    case ["all"]: configuration.destinations = []
    case ["none"]:
      configuration.destinations = []
      configuration.uploads = .never
      return
    case ["new"]: try askNewDestination(people, beside: known)
    default: configuration.destinations = names
    }
    if configuration.uploads == .never { configuration.uploads = .always }
  }

  private mutating func askNewDestination(_ people: Questioner, beside known: [String]) throws {
    let place = try people.ask(
      "Web address of an endpoint, or path of a folder", standard: nil,
      advice: "enter https://HOST/PATH or /PATH; add a Firestore database with 'footbridge "
        + "destination add'"
    ) { $0.hasPrefix("/") || $0.holds("://") ? $0 : nil }
    let name = try people.ask(
      "Name of the destination", standard: known.contains("home") ? nil : "home",
      advice: "a name is \(DestinationName.rule)"
    ) { name in
      let isFree = !known.contains(name) && !SetupAnswers.destinationWords.contains(name)
      return DestinationName.isFit(name) && isFree ? name : nil
    }
    var new = NewDestination(name: name)
    if place.hasPrefix("/") {
      new.folder = place
    } else {
      new.url = place
      new.tokenFile = try people.ask(
        "File with the endpoint's token", .file("FILE"), standard: nil, none: "none")
    }
    newDestination = new
    configuration.destinations = [name]
  }

  /// Tests the new destination, and asks whether to use it even if the test fails.
  private mutating func testDestination() async throws {
    guard let new = newDestination else { return }
    people?.tell(["Testing \(new.url ?? new.folder ?? "")."])
    let setback = try await surroundings.obstacle(to: new, configuration.store)
    guard let setback else {
      people?.tell(["'\(new.name)' accepts uploads."])
      return
    }
    let reason = "cannot upload to '\(new.name)': \(setback.reason)"
    guard let people else {
      // In the field, a missing network is common and temporary, whereas a rejection would be
      // permanent.
      guard setback.kind != .unavailable else {
        doubts.append((event: "destination not verified", reason: reason, remedy: setback.remedy))
        return
      }
      throw Complaint(reason, remedy: setback.remedy, status: .unreachable)
    }
    people.tell([reason, "  " + setback.remedy])
    if try !people.confirm("Use it anyway?", standard: setback.kind == .unavailable) {
      newDestination = nil
      configuration.destinations = present.destinations
    }
  }

  // MARK: Time

  private mutating func chooseTime(_ people: Questioner) throws {
    if answers.recordingTime == nil {
      people.tell([
        "",
        "Recording: always while the gateway runs, at certain hours, while someone walks, or on "
          + "command.",
      ])
      let when = Parameter<RecordingTime>.word()
      let sensors = configuration.recording.sensors
      configuration.rule.time = try people.ask(
        "When?", standard: configuration.rule.time.rawValue, advice: when.argument.advice
      ) { text throws(Complaint) in
        guard let time = when.value(text) else { return nil }
        if let fault = ConfigurationRules.obstacle(to: time, with: sensors) {
          throw Complaint(fault.message, remedy: fault.remedy)
        }
        return time
      }
    }
    guard configuration.rule.time == .hours else {
      configuration.rule.hours = nil
      return
    }
    if answers.hours == nil {
      configuration.rule.hours = try people.ask(
        "Hours of the local day", .hours, standard: configuration.rule.hours)
    }
  }
}
