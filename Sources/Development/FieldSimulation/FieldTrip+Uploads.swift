internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Simulation
internal import Storage
internal import Upload
internal import Values

/// Runs a trip's uploads and compares the store with the server.
extension FieldTrip {
  func startUpload() {
    guard upload == nil, recordings > 0 else { return }
    do {
      let settings = DestinationSettings(.http(url: "https://field.example"))
      let stored = try StoreEditor(path: store).addDestination(
        named: "home", place: "https://field.example", settings: "{}", at: BootClock.systemTime())
      var options = UploadRun.Options()
      options.ignoresHours = true
      let run = try UploadRun(
        store: store, [UploadRun.Target(stored, settings, server)], options)
      upload = run
      let isHealthy = server.state == .healthy
      Task.detached {
        let outcomes = await run.run()
        self.ended(run, outcomes, isHealthy)
      }
      time.after(600) { [self] in
        if upload === run { judge(.ends, "an upload does not end") }
      }
    } catch {
      judge(.uploaded, "an upload cannot start: \(error)")
    }
  }

  private func ended(_ run: UploadRun, _ outcomes: [UploadRun.Outcome], _ wasHealthy: Bool) {
    guard upload === run else { return }
    upload = nil
    let ending = outcomes.first.map { "\($0.outcome.ending)" } ?? "nothing"
    tell("  the upload ended: \(ending), the server has \(server.chunks.count) chunks")
    guard case .drained = outcomes.first?.outcome.ending else {
      if wasHealthy, server.state == .healthy { judge(.ends, "an upload ended with \(ending)") }
      return
    }
    compareWithServer()
  }

  private func compareWithServer() {
    do {
      let reader = try StoreReader(path: store)
      // If the server failed twice to store a record or chunk, the store parks the item and counts
      // it.
      let counts = try reader.destinations().first.map { try reader.uploadCounts(for: $0) }
      var missing = -(counts?.parkedChunks.count ?? 0)
      var unfinished = -(counts?.parkedSessions ?? 0)
      for session in try reader.sessions() {
        var different = 0
        for stream in try reader.streams(of: session.id) {
          for chunk in try reader.chunks(of: stream) {
            let bytes = try reader.bytes(ofChunk: chunk.id)
            if let there = server.chunks[chunk.id] {
              if there != bytes { different += 1 }
            } else {
              missing += 1
            }
          }
        }
        if different > 0 { judge(.uploaded, "\(different) chunks are different on the server") }
        if session.end != nil, server.records[session.id] == nil { unfinished += 1 }
      }
      if missing > 0 { judge(.uploaded, "\(missing) chunks are missing on the server") }
      if unfinished > 0 {
        judge(.uploaded, "the records of \(unfinished) ended sessions are missing on the server")
      }
      if server.conflicts > 0 {
        judge(.uploaded, "\(server.conflicts) chunks arrived with different bytes")
      }
      if server.earlyRecords > 0 {
        judge(.uploaded, "\(server.earlyRecords) records arrived before their chunks")
      }
    } catch {
      judge(.uploaded, "the store cannot be read: \(error)")
    }
  }
}
