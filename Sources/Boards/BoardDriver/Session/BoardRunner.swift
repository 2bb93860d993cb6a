internal import LinuxSystem
public import MetaWearProtocol
internal import Recording
internal import Values

/// Performs the actions of a board's session: writes, waits, routes streams, brings up new links,
/// reports.
public actor BoardRunner {
  public enum Report: Sendable {
    /// The board is set up for these streams and waits for `start`.
    case ready(Model, firmware: String, [BoardStream])
    /// Its sensors run; `tellsBattery` says whether the board reports its battery from time to
    /// time.
    case running(tellsBattery: Bool)
    /// State of its battery.
    case battery(Battery)
    /// The link dropped and another is being brought up.
    case linkLost
    /// It is set up again; its sensors are about to run.
    case resumed(after: BoardSession.Interruption)
    /// Sensors that send nothing are being started again.
    case restarting
    /// The board answers but sends nothing of these signals.
    case silent(signals: String)
    /// No remedy brought back the streams of these signals; their sensors are restarted now and
    /// then.
    case stillSilent(signals: String)
    /// The request for the link's interval, and its effect.
    case tuned(LinkReport)
    /// A remark for the log.
    case remark(String)
  }

  public struct Outcome: Sendable {
    /// Packets received over all links.
    public var counts = ReaderCounts()
    /// Links that were lost and replaced.
    public var lostLinks = 0
    /// The last requested link interval, and its effect; `nil` before the session's end.
    public var link: LinkReport?
    /// The useless packets.
    public var diagnosis = PacketDiagnosis()
    /// The reason the board did not stream or did not stop properly, if any.
    public var failure: (any Error)?

    public init() {}
  }

  /// Seconds between the first of the reads that are repeated.
  private static let turnSeconds = 0.1

  private let firstLink: any Link
  private let reconnect: @Sendable () async throws -> any Link
  private let reader: ReaderThread
  private let linkControl: any LinkControl
  private let board: UInt16
  private let report: @Sendable (Report) async -> Void
  private let events = EventQueue<Posted>()
  private var session: BoardSession
  private var link: (any Link)?
  /// Number of the current link. Events from an earlier link are ignored.
  private var generation = 0
  private var outcome = Outcome()
  private var timer: Task<Void, Never>?
  /// Number of the current wait. An earlier wait may have posted its end before it was cancelled.
  private var waits = 0
  private var polling: Task<Void, Never>?
  private var relinking: Task<Void, Never>?
  /// Whether the descriptor of the current link hung up.
  private var hasHungUp = false

  /// An event and the link or wait it belongs to; `nil` for none.
  private struct Posted: Sendable {
    var event: BoardSession.Event
    var generation: Int?
    var wait: Int?
    var isHangUp = false
  }

  /// A runner for the board with this number in the session, over a link that is up.
  ///
  /// Each call of `reconnect` brings up another link, however long that takes; it throws when no
  /// other link is possible. `linkControl` changes the link from this computer's side, to bring it
  /// to the tuning's pace.
  public init(
    board: UInt16, link: any Link, reader: ReaderThread, sensors: [SensorRequest],
    tuning: ConnectionTuning = ConnectionTuning(.fast),
    linkControl: any LinkControl = NoLinkControl(),
    reconnect: @escaping @Sendable () async throws -> any Link,
    report: @escaping @Sendable (Report) async -> Void
  ) {
    self.board = board
    firstLink = link
    self.reconnect = reconnect
    self.reader = reader
    self.report = report
    self.linkControl = linkControl
    session = BoardSession(sensors, tuning: tuning)
  }

  /// Starts the sensors, once the board is ready.
  public nonisolated func start() {
    events.post(Posted(event: .start))
  }

  /// Notes that another board is being linked, which may delay this board's data.
  public nonisolated func disturb() {
    events.post(Posted(event: .disturbed))
  }

  /// Notes how many boards now stream through this board's adapter; the pace depends on it.
  public nonisolated func share(boards: Int) {
    events.post(Posted(event: .tune(.boards(boards))))
  }

  /// Asks the session to end in order; `run` returns when it has.
  public nonisolated func stop() {
    events.post(Posted(event: .stop))
  }

  /// Brings the board to streaming and keeps it there until `stop`, then ends the link.
  public func run() async -> Outcome {
    events.post(Posted(event: .tune(.methods(linkControl.available))))
    do {
      try await use(firstLink)
      try await performEvents()
    } catch {
      outcome.failure = error
    }
    timer?.cancel()
    stopPolling()
    relinking?.cancel()
    await relinking?.value
    // Unless it confirmed a stop, the board would go on sending.
    await dropLink(isEnd: session.hasConfirmedStop)
    outcome.diagnosis = session.diagnosis
    outcome.link = session.tuning.report
    return outcome
  }

  // MARK: Links

  /// Takes a link into use and reports that to the session.
  private func use(_ link: any Link) async throws {
    self.link = link
    hasHungUp = false
    generation += 1
    let generation = generation
    let information = try await link.readInformation()
    let descriptor = try await link.subscribe()
    reader.attach(board, descriptor) { [events] event in
      switch event {
      case .packet(let bytes): events.post(Posted(event: .packet(bytes), generation: generation))
      case .malformed(let bytes):
        events.post(Posted(event: .malformed(bytes), generation: generation))
      case .hungUp:
        events.post(Posted(event: .linkLost, generation: generation, isHangUp: true))
      }
    }
    events.post(Posted(event: .subscribed(information), generation: generation))
  }

  /// The reader detaches first, so that the end of the link loses no packet.
  private func dropLink(isEnd: Bool = false) async {
    outcome.counts += await reader.detach(board, isEnd: isEnd)
    await link?.disconnect(hasHungUp: hasHungUp)
    link = nil
  }

  /// Brings up another link while the session continues to handle events.
  private func relink() async {
    stopPolling()
    outcome.lostLinks += 1
    await report(.linkLost)
    await dropLink()
    relinking = Task { [reconnect, events] in
      while !Task.isCancelled {
        do {
          let link = try await reconnect()
          do {
            return try await self.use(link)
          } catch {
            await self.dropLink()
            await self.report(.remark("the new link was unusable: \(error)"))
          }
        } catch {
          events.post(Posted(event: .abandoned(error as? BoardFailure ?? .linkLost)))
          return
        }
      }
    }
  }

  // MARK: Events

  private func performEvents() async throws {
    while let posted = await events.next() {
      if let link = posted.generation, link != generation { continue }
      if posted.isHangUp { hasHungUp = true }
      if let wait = posted.wait, wait != waits { continue }
      for action in session.handle(posted.event) {
        do {
          if try await perform(action) { return }
        } catch let failure as BoardFailure {
          throw failure
        } catch {
          // Only the cleaning up is left undone; the next session on this board does it.
          if session.hasEnded { return }
          // After a failed write the link is unusable. If it is gone, the reader reports that too.
          events.post(Posted(event: .linkLost, generation: generation))
          break
        }
      }
    }
  }

  /// Performs an action; `true` after the last.
  private func perform(_ action: BoardSession.Action) async throws -> Bool {
    switch action {
    case .write(let command, let acknowledged):
      try await link?.write(command, acknowledged: acknowledged)
    case .wait(let seconds):
      wait(seconds)
    case .cancelWait:
      cancelWait()
    case .poll(let polls):
      stopPolling()
      if !polls.isEmpty { poll(polls) }
    case .observe(let seconds):
      cancelWait()
      timer = Task { [waits, generation] in await observe(after: seconds, waits, generation) }
    case .ready(let model, let firmware, let streams):
      reader.route(board, streams)
      await report(.ready(model, firmware: firmware, streams))
    case .resumed(let streams, let interruption, let counts):
      reader.route(
        board, streams, restart: interruption == .reboot ? .rebooted : .restarted, counts: counts)
      await report(.resumed(after: interruption))
    case .running(let tellsBattery):
      await report(.running(tellsBattery: tellsBattery))
    case .battery(let battery):
      await report(.battery(battery))
    case .restarting(let streams):
      reader.restart(streams, of: board)
      await report(.restarting)
    case .silent(let streams, let signals):
      reader.silence(streams, of: board)
      await report(.silent(signals: signals))
    case .stillSilent(let signals):
      await report(.stillSilent(signals: signals))
    case .changeLink(let method, let parameters):
      changeLink(method, parameters)
    case .tuned(let tuned):
      await report(.tuned(tuned))
    case .remark(let text):
      await report(.remark(text))
    case .relink:
      await relink()
    case .finished:
      return true
    case .failed(let failure):
      throw failure
    }
    return false
  }

  /// Changes the link in the background: the system may take seconds, and the session continues.
  private func changeLink(_ method: LinkMethod, _ parameters: ConnectionParameters) {
    Task { [linkControl, events, generation] in
      var outcome = ConnectionTuning.Event.changed(method)
      do {
        try await linkControl.changeLink(method, parameters)
      } catch {
        outcome = .refused(method, reason: "\(error)")
      }
      events.post(Posted(event: .tune(outcome), generation: generation))
    }
  }

  private func wait(_ seconds: Double) {
    cancelWait()
    timer = Task { [waits] in await endWait(waits, after: seconds) }
  }

  /// On the actor, so that one thread wakes for the end of the wait and for its event.
  private func endWait(_ wait: Int, after seconds: Double) async {
    try? await Pause.seconds(seconds)
    if !Task.isCancelled { events.post(Posted(event: .timeout, wait: wait)) }
  }

  private func observe(after seconds: Double, _ wait: Int, _ generation: Int) async {
    let packets = await reader.packets(of: board, after: seconds)
    events.post(Posted(event: .progress(packets), generation: generation, wait: wait))
    if let measurement = await linkControl.measurement() {
      events.post(Posted(event: .tune(.measured(measurement)), generation: generation))
    }
  }

  private func cancelWait() {
    timer?.cancel()
    waits += 1
  }

  /// Writes the reads in turns: a board answers only one of two simultaneous reads of a register.
  private func poll(_ polls: [(Command, seconds: Double)]) {
    guard let link else { return }
    polling = Task {
      var due = polls.indices.map { Double($0) * Self.turnSeconds }
      var now = 0.0
      while let next = due.indices.min(by: { due[$0] < due[$1] }) {
        if due[next] > now { try? await Pause.seconds(due[next] - now) }
        if Task.isCancelled { return }
        now = max(now, due[next])
        due[next] += polls[next].seconds
        try? await link.write(polls[next].0, acknowledged: false)
      }
    }
  }

  private func stopPolling() {
    polling?.cancel()
    polling = nil
  }
}
