internal import BlueZ
internal import BoardDriver
internal import LinuxSystem
internal import MetaWearProtocol
internal import Recording
internal import RingBuffer
internal import Values

/// Waits until someone walks, while only the boards' own detectors run.
///
/// Each board is linked, and reports when its wearer starts to walk. A lost link is restored, no
/// matter how long it takes.
final class DetectorWatch: Sendable {
  private enum Event: Sendable {
    case walking(BoardAddress)
    case stopped
    case failed(any Error)
  }

  /// Seconds between a failed attempt to link a board and the next attempt.
  private static let relinkPause = 5.0

  private let plan: RecordingPlan
  private let log: @Sendable (LogEvent) -> Void
  private let events = EventQueue<Event>()
  private let live = Guarded(LiveStatus())

  /// Watches a plan's boards. The plan must list them by address.
  init(_ plan: RecordingPlan, log: @escaping @Sendable (LogEvent) -> Void) {
    self.plan = plan
    self.log = log
    live.withLock { status in
      status.boards = plan.boards.addresses.map { address in
        let identity = BoardIdentity(
          address: address, name: plan.names[address] ?? address.description, model: "",
          firmware: "")
        var board = LiveStatus.Board(identity: identity, phase: .connecting)
        board.phaseStart = BootClock.now()
        return board
      }
    }
  }

  /// The boards' current state, and the standby state if a board is watching.
  var liveStatus: LiveStatus { live.withLock { $0 } }

  func stop() { events.post(.stopped) }

  /// Links the boards. Returns `true` if someone walks, and `false` if the watch was stopped.
  /// Before it returns, it switches off the detectors and closes the links.
  ///
  /// Throws if a board has no detector, or after a link failure that a retry cannot fix.
  func run() async throws -> Bool {
    let live = self.live
    let radio = try await BlueZRadio(
      plan.settings.bus, plan.radio,
      BlueZRadio.Listener(
        remark: log,
        obstructed: { error in
          let present = error.map { LiveStatus.Obstacle(text: $0.message, remedy: $0.remedy) }
          live.withLock { $0.obstacle = present }
        }))
    let tasks = plan.boards.addresses.map { address in
      Task { await self.watch(address, radio) }
    }
    let event = await events.next()
    await radio.end()
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    await radio.close()
    switch event {
    case .walking(let board):
      log(LogEvent(.notice, "walking detected", ["board": "\(board)"]))
      return true
    case .failed(let error): throw error
    case .stopped, nil: return false
    }
  }

  private func watch(_ board: BoardAddress, _ radio: BlueZRadio) async {
    while !Task.isCancelled {
      do {
        let link = try await radio.link(to: board)
        try await stay(link)
        note(.reconnecting, of: board)
        log(
          LogEvent(
            .warning, "link lost", ["board": "\(board)", "remedy": "move the board closer"]))
      } catch is CancellationError {
        break
      } catch let failure as BoardFailure where failure == Self.noDetector {
        note(.failed, of: board)
        let name = plan.names[board] ?? "\(board)"
        events.post(.failed(BoardFailure("\(name): \(failure.message)", remedy: failure.remedy)))
        break
      } catch {
        if (error as? BlueZError)?.isFinal == true {
          events.post(.failed(error))
          break
        }
        guard !Task.isCancelled else { break }
        note(.reconnecting, of: board)
        log(
          LogEvent(
            .warning, "reconnect failed", ["board": "\(board)", "reason": "\(error)"]))
        try? await Pause.seconds(Self.relinkPause)
      }
    }
    // Release the board even if its link was lost. Otherwise, the radio would link it again.
    await radio.release(board)
  }

  /// Runs a board's detector until the link is closed or the task is cancelled.
  private func stay(_ link: DeviceLink) async throws {
    // No sensor is streaming, so the reader pushes nothing into the ring.
    let ends = Ring<Reading>.make(capacity: 1)
    let reader = try ReaderThread(into: ends.producer, bell: try WakeUp())
    defer { reader.stop() }
    let visit = BoardVisit(link: BlueZLink(link: link), reader: reader)
    var detector: ActivityDetection?
    let outcome: Result<Void, any Error>
    do {
      try await visit.open()
      let modules = try await visit.modules(among: [.accelerometer])
      guard let found = modules.activityDetection else { throw Self.noDetector }
      detector = found
      // A detector reports only changes. If an earlier link left it on, it may have reported this
      // walk while no link existed. The detector is therefore restarted.
      try await visit.perform([Settings.prefer(LinkPace.watching)] + found.off + found.on)
      note(.watching, of: link.device.address)
      while let activity = try await visit.nextActivity(by: modules) {
        guard activity == .walking || activity == .running else { continue }
        events.post(.walking(link.device.address))
      }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    // Switch the detector off in a separate task, because this one may be cancelled. If the link
    // was lost, the board's detector stays on.
    let off = detector?.off ?? []
    await Task {
      if !off.isEmpty { try? await visit.perform(off) }
      await visit.leave()
    }.value
    try outcome.get()
  }

  private func note(_ phase: LiveStatus.BoardPhase, of board: BoardAddress) {
    let now = BootClock.now()
    live.withLock { status in
      for index in status.boards.indices where status.boards[index].identity.address == board {
        status.boards[index].note(phase, at: now)
      }
      if phase == .watching, status.standby == nil {
        status.standby = LiveStatus.Standby(lead: 0, held: 0)
      }
    }
  }

  private static let noDetector = BoardFailure(
    "the board has no walking detector",
    remedy: "set 'detector = gateway' in [recording], or use a MetaMotion S")
}
