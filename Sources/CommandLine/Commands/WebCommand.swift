internal import Gateway
internal import LinuxSystem
internal import Terminal
internal import Values
internal import Web

/// `footbridge web`: serves the page for phones, and manages the phones paired with it.
struct WebCommand: Verb {
  enum Action: String, CaseIterable, Hashable, Sendable {
    /// Serve a page that shows a store, until a signal arrives.
    case serve
    /// Create a PIN with which a phone can pair.
    case pair
    /// List the paired phones.
    case list
    /// Remove one paired phone, or all.
    case forget
  }

  var action: Action?
  /// The name or id of the phone to remove.
  var device: String?
  /// The access rights of the phone that uses the new PIN.
  var role = AccessRole.operate
  var settings = PageSettings()
  var reportsJSON = false
  var isInUTC = false
  /// The running gateway's socket, or the configuration that names it.
  var place: StatusPlace
  var store: StoreLocation

  static let options: [Option<WebCommand>] =
    PageSettings.options.map { $0.lifted(into: \.settings) } + own
    + StatusPlace.options.map { $0.lifted(into: \.place) } + [.store(sets: \.store)]

  private static let own: [Option<WebCommand>] = [
    .option(
      "role", .word("ROLE"), default: AccessRole.operate,
      help: "the next phone's rights: look, or operate, which includes notes, start, stop and "
        + "delete", sets: \.role),
    .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON),
    .utc("list", sets: \.isInUTC),
  ]

  static let definition = CommandDefinition<WebCommand>(
    name: "web", summary: "show recordings on phones, and manage the paired phones",
    discussion: """
      ACTION is serve (the default), pair, list or forget. serve shows the walks in the store \
      on a page until Ctrl-C, and prints its address and a PIN. The page of a running \
      gateway is part of 'footbridge run', and needs 'listen' in [web] of the configuration. It \
      also shows live data, and accepts hazards and notes.

      A phone must be paired: pair asks the running gateway for a six-digit PIN, which is valid \
      for one phone and for ten minutes. list shows the paired phones, without a date if the \
      gateway's clock was not yet set by GPS or the network. forget NAME removes a phone \
      immediately; forget all removes all.

      Only this computer can reach the page, unless --listen or [web] says otherwise, as in \
      --listen 0.0.0.0:8080.

      Example: footbridge web --listen 0.0.0.0:8080
      """,
    initial: {
      WebCommand(
        place: StatusPlace(configuration: ConfigurationLocation(environment: $0)),
        store: StoreLocation(environment: $0))
    },
    options: options,
    operands: [
      .optional(.word("ACTION"), sets: \.action),
      .optional(.unchecked("NAME", .text), sets: \.device),
    ])

  func run(_ console: Console) async throws -> ExitStatus {
    let action = action ?? .serve
    guard (action == .forget) == (device != nil) else {
      throw Complaint.usage(
        action == .forget ? "'NAME' is missing" : "'\(action.rawValue)' does not accept a name",
        remedy: "'footbridge web list' shows names; 'all' means all of them",
        command: "\(Version.program) web")
    }
    switch action {
    case .serve: return try await serve(console)
    case .pair: try pair(console)
    case .list: try list(console)
    case .forget: try forget(console)
    }
    return .ok
  }

  private func serve(_ console: Console) async throws -> ExitStatus {
    guard (settings.certificate == nil) == (settings.key == nil) else {
      throw Complaint.usage(
        "'--certificate' and '--certificate-key' must be used together",
        remedy: "give both '--certificate FILE' and '--certificate-key FILE'",
        command: "\(Version.program) web")
    }
    let store = self.store.following(place.configuration)
    try store.announce(on: console)
    let path = try store.existingPath()
    StoreLocation.takeInLeftovers(of: path, console)
    let answers = StoreAnswers(store: store)
    let doctor = Doctor(
      store: path, source: nil, isOffline: true, configuration: place.configuration.path)
    PageLook.check(map: settings.tiles, routes: settings.routes, console)
    let look = PageLook(
      answers, tiles: settings.tiles, routes: settings.routes, doctor: doctor)
    let signals = Signals(console)
    let page = try ServedPage(
      StorePage(gateway: ThisComputer.name, look: look), settings, store: path,
      command: "footbridge web", role, reportsJSON, console)
    defer { page.stop() }
    await signals.wait()
    return signals.status
  }

  private func pair(_ console: Console) throws {
    let answer = try place.client().ask("pair \(role.rawValue)")
    guard let invitation = PageInvitation(answer) else {
      throw Complaint(
        "cannot get a PIN from the gateway: \(answer["error"]?.text ?? "no reason given")",
        remedy: answer["remedy"]?.text ?? "check that the gateway runs the same version as this "
          + "program")
    }
    try console.print(
      reportsJSON ? invitation.json.text : invitation.text(withCode: console.isTerminal))
  }

  // MARK: Paired phones

  private func devices() throws -> PairedDevices {
    let path = try store.following(place.configuration).path()
    return PairedDevices(DeviceFile(besides: path))
  }

  private func list(_ console: Console) throws {
    let devices = try devices()
    if let fault = devices.fault {
      let path = devices.file.path
      throw Complaint(fault.message(path), remedy: fault.remedy(path))
    }
    let list = devices.list
    if reportsJSON {
      try console.print(
        JSONValue.array(list.map(Self.json)).text)
      return
    }
    guard !list.isEmpty else {
      console.notice("no phone is paired", ["remedy": "create a PIN with 'footbridge web pair'"])
      return
    }
    var table = TextTable([
      .init("id"), .init("name"), .init("role"), .init("paired"), .init("last seen"),
    ])
    for device in list {
      table.append([
        device.id, TerminalText.harmless(device.name), device.role.rawValue,
        SessionText.date(device.paired, inUTC: isInUTC) ?? "–",
        SessionText.date(device.seen, inUTC: isInUTC) ?? "–",
      ])
    }
    try console.print(table.lines(within: console.tableWidth).joined(separator: "\n"))
  }

  private static func json(_ device: PairedDevice) -> JSONValue {
    let paired: JSONValue = (device.paired?.iso8601()).json
    let seen: JSONValue = (device.seen?.iso8601()).json
    return [
      "id": device.id.json, "name": device.name.json, "role": device.role.rawValue.json,
      "paired": paired, "seen": seen,
    ]
  }

  private func forget(_ console: Console) throws {
    let devices = try devices()
    let word = device ?? ""
    let count: Int
    do throws(DeviceFileFault) {
      count = word == "all" ? try devices.forgetAll() : try devices.forget(word).count
    } catch {
      let path = devices.file.path
      throw Complaint(
        error.message(path),
        remedy: error.remedy(path) + "\n'footbridge web forget all' works even if the disk is full"
      )
    }
    guard count > 0 || word == "all" else {
      throw Complaint(
        "no phone has the id or name '\(word)'",
        remedy: "'footbridge web list' shows ids and names")
    }
    try console.print(
      reportsJSON
        ? JSONValue.object([.init("forgotten", count)]).text
        : "Removed \(NumberText.count(count, "phone")).")
  }
}
