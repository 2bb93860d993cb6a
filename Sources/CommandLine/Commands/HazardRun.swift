internal import Recording
internal import Storage
internal import Values

/// Body of `footbridge hazard`: notes hazards of a session, and shows all it has then.
enum HazardRun {
  static let body: Commands.Body<HazardConfiguration> = { configuration, console in
    let directory = try configuration.store.sessions(console)
    let session = try directory.session(configuration.session)
    let path = try configuration.store.path()
    let named = try configuration.moment.map {
      try configuration.store.instant($0, in: session, of: directory)
    }
    // After the walk the user is no longer where the hazard was.
    let keepsTime = named == nil && session.end != nil
    try report(
      configuration.hazards, in: session,
      at: named ?? configuration.store.noteTime(in: session), keepsTime: keepsTime, path)
    let hazards = try StoreReader(path: path).hazards(of: session.id)
    if configuration.reportsJSON {
      try console.print(
        JSONValue.array(hazards.map { SessionReport.json($0, in: session) }).text)
    } else {
      try console.print(table(hazards, in: session).joined(separator: "\n"))
    }
    return .ok
  }

  private static func report(
    _ requests: [HazardRequest], in session: Session, at time: BootTime, keepsTime: Bool,
    _ path: String
  ) throws {
    // Brings the store up to date first, where need be.
    let editor = try StoreEditor(path: path)
    let reader = try StoreReader(path: path)
    let clock = try reader.clock(of: session.id)
    let fix = try reader.fix(of: session.id, at: time).flatMap { fix in
      time.seconds(since: fix.arrival) <= FixTrack.defaultMaximumAge ? fix : nil
    }
    let met = keepsTime ? try reader.hazards(of: session.id) : []
    for request in requests {
      var hazard = Hazard(
        name: request.name, intensity: request.intensity, time: time, utc: clock.utc(at: time),
        position: fix.map { GeoPosition(latitude: $0.latitude, longitude: $0.longitude) })
      if let former = met.first(where: { $0.name.lowercased() == request.name.lowercased() }) {
        (hazard.time, hazard.utc, hazard.position) = (former.time, former.utc, former.position)
      }
      try editor.report(hazard, session: session.id)
    }
  }

  private static func table(_ hazards: [Hazard], in session: Session) -> [String] {
    var table = TextTable([
      .init("hazard"), .init("intensity", .right), .init("at", .right), .init("place"),
    ])
    for hazard in hazards {
      table.append([
        TerminalText.harmless(hazard.name), "\(hazard.intensity)",
        SessionText.time(hazard.time, in: session), SessionText.place(hazard.position),
      ])
    }
    return table.lines
  }
}
