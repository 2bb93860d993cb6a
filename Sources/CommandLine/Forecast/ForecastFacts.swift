internal import Gateway
internal import LinuxSystem
internal import MetaWearProtocol
internal import Recording
internal import Storage
internal import Values

/// Collects the facts about this computer that a forecast needs: board models, battery charges and
/// free space.
enum ForecastFacts {
  /// The number of recent sessions to search for a board's battery charge.
  private static let sessions = 20

  /// Returns a configuration's boards. The charges come from the running gateway, or else from the
  /// last recording.
  static func boards(
    _ configured: [ConfiguredBoard], store path: String, status: GatewayStatus?
  ) -> [Forecast.Board] {
    let (models, last) = (try? Self.stored(in: path)) ?? ([:], [:])
    return configured.map { board -> Forecast.Board in
      let model = models[board.address].flatMap(Self.model)
      let live = status?.boards.first { $0.address == board.address }
      var charge = last[board.address]
      if let percent = live?.battery {
        // A connected board reports its charge every five minutes. If a board has no link, its last
        // report is outdated.
        let silence = live?.sampleAge.flatMap { $0 > 300 ? $0 : nil }
        charge = Forecast.Charge(percent: percent, age: silence)
      }
      return Forecast.Board(
        name: board.name, model: model ?? .metaMotionS, isModelGuessed: model == nil,
        charge: charge)
    }
  }

  static func model(_ name: String) -> Model? {
    KnownBoard.allCases.map(\.model).first { "\($0)" == name }
  }

  /// Returns the models and the last battery charges that a store contains. The models come from
  /// 'pair' or from the newest sessions, and the charges from the newest sessions.
  private static func stored(
    in path: String
  ) throws -> (models: [BoardAddress: String], charges: [BoardAddress: Forecast.Charge]) {
    guard StoreReader.exists(at: path) else { return ([:], [:]) }
    // The tail is read before the store, so a record that moves from the tail to the store between
    // the reads is not missed.
    let tail = try StoreTail(store: path)
    let reader = try StoreReader(path: path)
    let outlines = try reader.outlines(of: reader.sessions(newest: sessions), tail)
    let now = BootClock.systemTime()
    var charges: [BoardAddress: Forecast.Charge] = [:]
    var models: [BoardAddress: String] = [:]
    for outline in outlines {
      for board in try reader.boards(of: outline.session.id) { models[board.address] = board.model }
      for event in try reader.events(of: outline.session.id) where event.kind == .battery {
        guard let board = event.board, let value = event.value else { continue }
        let utc = event.utc ?? outline.clock.utc(at: event.time)
        charges[board] = Forecast.Charge(
          percent: Int(value.rounded()),
          age: utc.map { max(0, Double(now.nanoseconds - $0.nanoseconds) / 1e9) })
      }
    }
    for board in try reader.boards() where !board.model.isEmpty {
      models[board.address] = board.model
    }
    return (models, charges)
  }

  /// Returns the disk that contains a store, which need not exist.
  static func disk(of path: String) throws -> Forecast.Disk {
    let folder = StoreFolder.existingFolder(of: path)
    let size = try FileSystem.size(at: folder)
    guard StoreReader.exists(at: path) else {
      let policy = SpacePolicy()
      let free = try FileSystem.room(at: folder)
      return Forecast.Disk(
        path: path, free: free, room: policy.room(.init(used: 0, free: free)),
        whenFull: policy.whenFull, size: size)
    }
    let reader = try StoreReader(path: path)
    let policy = try reader.spacePolicy()
    let usage = try reader.spaceUsage()
    return Forecast.Disk(
      path: path, free: usage.free, room: policy.room(usage), whenFull: policy.whenFull,
      size: size)
  }
}
