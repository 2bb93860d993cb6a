internal import DBus
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Simulation
internal import Storage
internal import Upload
internal import Values

/// One trip in simulated time: performs a plan and judges every recording in it.
// Safety: one thread of the kernel runs everything that uses this object.
final class FieldTrip: @unchecked Sendable {
  private let plan: FieldPlan
  private let without: Set<Int>
  private let time: SimulatedTime
  private let bus = InProcessBus()
  private let daemon: SimulatedDaemon
  private let boards: [SimulatedBoard]
  private let air: AirBook
  private var folder: TemporaryFolder
  private var life: Life?
  private var lives = 0
  private var lastFault: Double?
  private(set) var violations: [Violation] = []
  /// What happened, with the time.
  private(set) var story: [(time: Double, text: String)] = []
  private(set) var recordings = 0
  private(set) var samples = 0

  /// A gateway program from its start to its end.
  private final class Life {
    let run: RecordingRun
    let report = Guarded<Result<RecordingReport, any Error>?>(nil)
    let startedAt: Double
    var stoppedAt: Double?
    var hadFault = false
    var lostPacketsOnly = true
    var lateSeconds = 0.0
    /// Samples that each board had lost on the air before.
    let droppedBefore: [UInt64]

    init(_ run: RecordingRun, at time: Double, _ counts: [BoardCounts]) {
      self.run = run
      startedAt = time
      droppedBefore = counts.map(\.samplesLost)
    }
  }

  /// What the radio handed over, by board.
  private final class AirBook: Sendable {
    let logs: Guarded<[AirLog]>

    init(_ count: Int) { logs = Guarded(Array(repeating: AirLog(), count: count)) }
  }

  /// A trip without the events with these numbers.
  init(_ plan: FieldPlan, without: Set<Int>) throws {
    self.plan = plan
    self.without = without
    let time = SimulatedTime(seed: plan.seed)
    time.install()
    self.time = time
    let boards = SimulatedWorld.boards(plan.boards, seed: plan.seed)
    let air = AirBook(plan.boards)
    let bus = bus
    daemon = try time.outside {
      var settings = DaemonSettings()
      settings.eventSeconds = 0.015
      return try SimulatedDaemon(.inProcess(bus), boards: boards, settings: settings) { delivery in
        switch delivery {
        case .notification(let board, let notification, let isLeftOver):
          air.logs.withLock { $0[board].take(notification, isLeftOver: isLeftOver) }
        }
      }
    }
    self.boards = boards
    self.air = air
    folder = try TemporaryFolder(prefix: "footbridge-field")
  }

  private var store: String { folder.path + "/store.sqlite" }

  func perform() {
    for (number, event) in plan.events.enumerated() where !without.contains(number) {
      time.after(event.time) { self.perform(event) }
    }
    var isOver = false
    let end = max(plan.days * FieldPlan.day, (plan.events.last?.time ?? 0) + 60)
    time.after(end) { isOver = true }
    time.run { isOver }
    if life?.stoppedAt != nil { judge(.ends, "the recording did not end") }
    for complaint in daemon.complaints { judge(.noMistake, complaint) }
    // A board that ignored a command refuses the ones that build on it.
    guard !plan.hasDeafBoard else { return }
    for counts in daemon.boardCounts {
      for complaint in counts.complaints { judge(.noMistake, complaint) }
    }
  }

  private func judge(_ invariant: FieldInvariant, _ text: String) {
    violations.append(Violation(invariant: invariant, time: time.elapsed, text: text))
  }

  private func tell(_ text: String) {
    story.append((time.elapsed, text))
    onStory(time.elapsed, text)
  }

  /// Called for each line of the story as it happens.
  var onStory: (Double, String) -> Void = { _, _ in }

  // MARK: Events

  private func perform(_ event: FieldEvent) {
    switch event.kind {
    case .start:
      guard life == nil else { return }
      tell(event.story)
      start()
    case .stop:
      guard let life, life.stoppedAt == nil else { return }
      tell(event.story)
      stop(life)
    case .kill, .powerCut:
      guard life != nil || upload != nil else { return }
      tell(event.story)
      cut(isPower: { if case .powerCut = event.kind { true } else { false } }())
    case .board(let board, let fault):
      noteFault(event)
      daemon.inject(fault, into: board)
    case .recharge(let board):
      noteFault(event)
      daemon.inject(.reboot, into: board)
    case .daemon(let fault):
      noteFault(event)
      daemon.inject(fault)
    case .upload:
      tell(event.story)
      startUpload()
    case .network(let state):
      tell(event.story)
      server.state = state
    case .clock(let seconds):
      tell(event.story)
      time.stepClock(bySeconds: seconds)
    }
  }

  private func noteFault(_ event: FieldEvent) {
    tell(event.story)
    life?.hadFault = true
    switch event.kind {
    case .board(_, .drop): break
    case .board(_, .delay(let seconds)):
      life?.lateSeconds += seconds
      life?.lostPacketsOnly = false
    default: life?.lostPacketsOnly = false
    }
    lastFault = time.elapsed
  }

  private func start() {
    do {
      air.logs.withLock { for index in $0.indices { $0[index] = AirLog() } }
      let run = try RecordingRun(
        RecordingPlan(
          bus: .inProcess(bus), boards: .addresses(boards.map(\.address)), receiver: nil,
          store: store, scanSeconds: 60),
        log: { event in
          guard event.severity != .detail else { return }
          let details = event.details.map { "\($0.name)=\($0.value)" }.sorted().joined(
            separator: " ")
          self.tell("  gateway: \(event.event) \(details)")
        })
      let life = Life(run, at: time.elapsed, daemon.boardCounts)
      // A fault of the minutes before may still be felt.
      life.hadFault = lastFault.map { time.elapsed - $0 < 300 } ?? false
      life.lostPacketsOnly = !life.hadFault
      self.life = life
      Task.detached {
        let result: Result<RecordingReport, any Error>
        do { result = .success(try await run.run()) } catch { result = .failure(error) }
        life.report.withLock { $0 = result }
        self.ended(life)
      }
    } catch {
      judge(.ends, "a recording cannot start: \(error)")
    }
  }

  private func stop(_ life: Life) {
    life.stoppedAt = time.elapsed
    life.run.stop()
    time.after(15) { [self] in
      guard self.life === life else { return }
      judge(.ends, "15 s after Ctrl-C the recording has not ended")
    }
  }

  private func ended(_ life: Life) {
    guard self.life === life else { return }
    self.life = nil
    recordings += 1
    let report = life.report.withLock { $0 }
    switch report {
    case .success(let report):
      if let failure = report.failure { tell("  the recording failed: \(failure)") }
      for stream in report.totals.streams {
        let lost = stream.lost.sorted { $0.key.rawValue < $1.key.rawValue }
          .map { " \($0.key) \($0.value)" }.joined()
        tell(
          "  gateway: board \(stream.board) \(stream.description.signal): received \(stream.received), "
            + "twice \(stream.duplicates), stored \(stream.stored), lost\(lost.isEmpty ? " 0" : lost)"
        )
      }
    case .failure(let error): tell("  the recording failed: \(error)")
    case nil: break
    }
    examine(life, wasCut: false)
  }

  /// Cuts the program off, and gives the next one the files as they are then.
  private func cut(isPower: Bool) {
    let life = self.life
    time.kill()
    bus.removeClients(except: "org.bluez")
    self.life = nil
    upload = nil
    if isPower { time.reboot() }
    do {
      let next = try TemporaryFolder(prefix: "footbridge-field")
      for name in try Folder.names(in: folder.path) where !name.hasSuffix("-lock") {
        let bytes = try WholeFile.read(folder.path + "/" + name) ?? []
        let file = try OwnedDescriptor.create(next.path + "/" + name)
        guard file.write(bytes) == bytes.count else { throw SystemError("copy \(name)") }
      }
      abandoned.append(folder)
      folder = next
    } catch {
      judge(.stored, "cannot copy the files: \(error)")
    }
    guard let life else { return }
    recordings += 1
    examine(life, wasCut: true)
  }

  /// The folders of killed programs, whose files are still open.
  private var abandoned: [TemporaryFolder] = []

  // MARK: Uploads

  private let server = FieldServer()
  /// The upload under way.
  private var upload: UploadRun?
  private func startUpload() {
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

  /// Compares the store with the server after an upload that left nothing behind.
  private func compareWithServer() {
    do {
      let reader = try StoreReader(path: store)
      for session in try reader.sessions() {
        var missing = 0
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
        if missing > 0 { judge(.uploaded, "\(missing) chunks are not at the server") }
        if different > 0 { judge(.uploaded, "\(different) chunks differ at the server") }
        if session.end != nil, server.records[session.id] == nil {
          judge(.uploaded, "the record of an ended session is not at the server")
        }
      }
      if server.conflicts > 0 {
        judge(.uploaded, "\(server.conflicts) chunks came with other bytes")
      }
      if server.earlyRecords > 0 {
        judge(.uploaded, "\(server.earlyRecords) records came before their chunks")
      }
    } catch {
      judge(.uploaded, "the store cannot be read: \(error)")
    }
  }

  // MARK: Judging

  private func examine(_ life: Life, wasCut: Bool) {
    let logs = air.logs.withLock { $0 }
    do {
      let stored = try StoredStream.all(of: life.run.sessionID, in: store)
      for (index, board) in boards.enumerated() {
        let accounts = BoardAccounts(
          air: logs[index], streams: stored.filter { $0.board == board.address },
          clockFactor: board.clockFactor,
          dropped: Int(daemon.boardCounts[index].samplesLost - life.droppedBefore[index]),
          start: life.startedAt, end: time.elapsed, stoppedAt: life.stoppedAt, wasCut: wasCut,
          hadFault: life.hadFault, lostPacketsOnly: life.lostPacketsOnly,
          lateSeconds: life.lateSeconds,
          bootOffset: SimulatedTime.bootSeconds)
        samples += accounts.streams.reduce(0) { $0 + $1.words.count }
        tell(
          "  board \(index): arrived \(logs[index].delivered.count), "
            + accounts.streams.map { "\($0.signal) \($0.words.count) lost \($0.lost)" }
            .joined(separator: ", "))
        for violation in accounts.violations() { violations.append(violation) }
      }
    } catch {
      judge(.stored, "the store cannot be read: \(error)")
    }
  }
}
