internal import Gateway
internal import LinuxSystem
internal import Storage
internal import Upload
internal import Values

/// Body of `footbridge destination`: says where recordings are sent.
enum DestinationRun {
  static let body: Commands.Body<DestinationConfiguration> = { configuration, console in
    try DestinationChoice.check(configuration)
    switch configuration.action {
    case .add: return try await add(configuration, console)
    case .list: return try list(configuration, console)
    case .remove: return try remove(configuration, console)
    case .test: return try await test(configuration, console)
    }
  }

  private static func add(
    _ configuration: DestinationConfiguration, _ console: Console
  ) async throws -> ExitStatus {
    let name = configuration.name ?? ""
    var settings = try DestinationChoice.settings(configuration)
    settings.account = try DestinationFactory.account(of: settings)
    // What cannot be used is not kept: files that are missing or that others may read.
    _ = try DestinationFactory.make(settings, agent: Version.agent)
    let path = try configuration.store.path()
    try makeStore(at: path)
    let stored = try StoreEditor(path: path).addDestination(
      named: name, place: settings.placeText, settings: settings.text,
      at: BootClock.systemTime())
    if case .http(let url) = settings.place, settings.credentials != .none,
      let address = try? EndpointAddress(url), address.isPlain, !address.isLocal
    {
      console.warning("not encrypted", ["place": url, "remedy": "use an https:// address"])
    }
    if case .folder(let folder) = settings.place, !Folder.exists(folder) {
      console.warning(
        "folder is not there",
        ["place": folder, "remedy": "make it, or mount its disk, before the first upload"])
    }
    let counts = try StoreReader(path: path).uploadCounts(for: stored)
    if configuration.reportsJSON {
      try console.print(
        DestinationText.json(stored, settings: settings, counts).text)
    } else {
      try console.print(
        "\(name): \(DestinationText.place(stored)); "
          + DestinationText.backlog(counts, sentBefore: true))
    }
    return .ok
  }

  /// Makes an empty store where there is none: a destination may be named before the first walk.
  private static func makeStore(at path: String) throws {
    guard !StoreReader.exists(at: path) else { return }
    try Folder.make(forFile: path, isPrivate: true)
    try Store(path: path).close()
  }

  private static func list(
    _ configuration: DestinationConfiguration, _ console: Console
  ) throws -> ExitStatus {
    let destinations = try configuration.store.destinations()
    if configuration.reportsJSON {
      let values = try destinations.map { stored in
        DestinationText.json(
          stored, settings: try? settings(of: stored),
          try StoreReader(path: try configuration.store.path()).uploadCounts(for: stored))
      }
      try console.print(JSONValue.array(values).text)
    } else if destinations.isEmpty {
      console.notice(
        "no destinations", ["remedy": "make one known with 'footbridge destination add'"])
    } else {
      var table = TextTable([
        .init("name"), .init("place"), .init("credentials"), .init("settings"),
      ])
      for stored in destinations {
        let settings = try? settings(of: stored)
        table.append([
          stored.name ?? "", DestinationText.place(stored),
          settings.map(DestinationText.credentials) ?? "?",
          settings.map(DestinationText.settings) ?? "they cannot be read",
        ])
      }
      try console.print(table.lines.joined(separator: "\n"))
    }
    return .ok
  }

  static func settings(of stored: StoredDestination) throws -> DestinationSettings {
    do throws(DestinationSettings.Malformed) {
      return try DestinationSettings(placeText: stored.place, text: stored.settings)
    } catch {
      throw Complaint(
        "cannot read the destination '\(stored.name ?? "")': \(error)",
        remedy: "add it again with 'footbridge destination add'")
    }
  }

  private static func one(
    _ configuration: DestinationConfiguration
  ) throws -> StoredDestination {
    let found = try configuration.store.destinations(named: [configuration.name ?? ""])
    guard let stored = found.first else {
      preconditionFailure("a name that is not known is refused")
    }
    return stored
  }

  private static func remove(
    _ configuration: DestinationConfiguration, _ console: Console
  ) throws -> ExitStatus {
    let stored = try one(configuration)
    let path = try configuration.store.path()
    let counts = try StoreReader(path: path).uploadCounts(for: stored)
    _ = try StoreEditor(path: path).removeDestination(named: stored.name ?? "")
    if configuration.reportsJSON {
      try console.print(DestinationText.json(stored, settings: nil, counts).text)
    } else {
      try console.print(
        "\(stored.name ?? "") is removed: \(DestinationText.place(stored)).\n"
          + DestinationText.remains(counts))
    }
    return .ok
  }

  private static func test(
    _ configuration: DestinationConfiguration, _ console: Console
  ) async throws -> ExitStatus {
    let stored = try one(configuration)
    let destination = try DestinationFactory.make(
      try settings(of: stored), agent: Version.agent)
    let signals = Signals(console)
    guard let setback = try await signals.cancelling({ await destination.test() }) else {
      return signals.status
    }
    guard signals.status == .ok else { return signals.status }
    let place = DestinationText.place(stored)
    if configuration.reportsJSON {
      try console.print(
        JSONValue.object([
          .init("destination", .string(stored.name ?? "")),
          .init("reachable", .bool(setback == nil)),
          .init("reason", setback.map { .string($0.reason) } ?? .null),
          .init("remedy", setback.map { .string($0.remedy) } ?? .null),
        ]).text)
    } else if setback == nil {
      try console.print("\(stored.name ?? "") can be sent to: \(place)")
    }
    guard let setback else { return .ok }
    guard !configuration.reportsJSON else { return .unreachable }
    throw Complaint(
      "\(stored.name ?? "") cannot be sent to: \(setback.reason)",
      remedy: setback.remedy, status: .unreachable)
  }
}
