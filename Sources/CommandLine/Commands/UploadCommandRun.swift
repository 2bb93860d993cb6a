internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Upload
internal import Values

/// Body of `footbridge upload`: sends what was recorded to its destinations.
enum UploadCommandRun {
  static let body: Commands.Body<UploadConfiguration> = { configuration, console in
    let stored = try configuration.store.destinations(named: configuration.destinations)
    guard !stored.isEmpty else {
      throw Complaint(
        "there is no destination", remedy: "make one known with 'footbridge destination add'")
    }
    let path = try configuration.store.path()
    let directory = try configuration.store.sessions(console)
    let sessions = try configuration.sessions.map { try directory.session($0).id }
    let totals = try Totals(path, stored, sessions: sessions.isEmpty ? nil : sessions)
    if configuration.isDryRun {
      try tell(totals, configuration, console)
      return .ok
    }
    let targets = try stored.map { stored in
      let settings = try DestinationRun.settings(of: stored)
      return UploadRun.Target(
        stored, settings, try DestinationFactory.make(settings, agent: Version.agent))
    }
    let signals = Signals(console)
    let shown = ShownUpload(console, totals)
    var options = UploadRun.Options()
    options.sessions = sessions.isEmpty ? nil : sessions
    options.newestFirst = configuration.newestFirst
    options.ignoresHours = configuration.ignoresHours
    let run = try UploadRun(store: path, targets, options) { shown.tell($0) }
    let watch = Task {
      await signals.wait()
      if signals.status != .ok { run.stop() }
    }
    let outcomes = await run.run()
    watch.cancel()
    console.finishPainting()
    if let error = outcomes.lazy.compactMap(\.outcome.storeError).first { throw error }
    let rows = try outcomes.map {
      UploadReport(
        $0.stored, $0.outcome, try StoreReader(path: path).uploadCounts(for: $0.stored))
    }
    if configuration.reportsJSON {
      try console.print(JSONValue.array(rows.map(\.json)).text)
    } else {
      try console.print(rows.flatMap(\.lines).joined(separator: "\n"))
    }
    for row in rows { row.warn(console) }
    let dropped = try run.dropped
    if dropped.chunks > 0 {
      console.notice(
        "dropped", ["chunks": "\(dropped.chunks)", "bytes": "\(dropped.bytes)", "reason": "sent"])
    }
    return signals.status == .ok ? UploadReport.status(of: rows) : signals.status
  }

  /// What would be sent.
  private static func tell(
    _ totals: Totals, _ configuration: UploadConfiguration, _ console: Console
  ) throws {
    if configuration.reportsJSON {
      let values = totals.destinations.map { stored, amount in
        JSONValue.object([
          .init("destination", .string(stored.name ?? "")),
          .init("chunks", .integer(Int64(amount.count))),
          .init("bytes", .integer(Int64(clamping: amount.bytes))),
        ])
      }
      try console.print(JSONValue.array(values).text)
    } else {
      let lines = totals.destinations.map { stored, amount in
        "\(stored.name ?? ""): \(DestinationText.amount(amount)) would be sent"
      }
      try console.print(lines.joined(separator: "\n"))
    }
  }

  /// What waits when it begins.
  struct Totals: Sendable {
    var destinations: [(StoredDestination, UploadCounts.Amount)] = []

    init(_ path: String, _ stored: [StoredDestination], sessions: [UniqueID]?) throws {
      let reader = try StoreReader(path: path)
      for stored in stored {
        guard let sessions else {
          destinations.append((stored, try reader.uploadCounts(for: stored).waitingChunks))
          continue
        }
        var amount = UploadCounts.Amount()
        var last: Int64?
        while true {
          let page = try reader.waitingChunks(
            for: stored, sessions: sessions, after: last, limit: 1_000)
          guard let end = page.last else { break }
          amount.count += page.count
          amount.bytes += page.reduce(0) { $0 + UInt64($1.byteCount) }
          last = end.number
        }
        destinations.append((stored, amount))
      }
    }

    /// All of them together.
    var sum: UploadCounts.Amount {
      destinations.reduce(into: UploadCounts.Amount()) { sum, next in
        sum.count += next.1.count
        sum.bytes += next.1.bytes
      }
    }
  }
}
