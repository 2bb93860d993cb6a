internal import LinuxSystem
public import MetaWearProtocol
internal import Recording
internal import Values

/// Performs the actions that a board's session requests: writes commands, waits, routes streams,
/// reconnects and reports.
public actor BoardRunner {
  public enum Report: Sendable {
    /// The board is set up for these streams and is waiting for `start`.
    case ready(Model, firmware: String, [BoardStream])
    /// The board's sensors are running. `tellsBattery` indicates whether the board reports its
    /// battery periodically.
    case running(tellsBattery: Bool)
    case battery(Battery)
    /// The link dropped, and the runner is reconnecting.
    case linkLost
    /// The board has been set up again, and its sensors are about to start.
    case resumed(after: BoardSession.Interruption)
    /// The sensors that had stopped sending data are being restarted.
    case restarting
    /// The board responds but sends no data for these signals.
    case silent(signals: String)
    /// These signals' streams could not be restored. Their sensors are restarted periodically.
    case stillSilent(signals: String)
    /// The link was tuned. Contains the requested connection interval and the interval achieved.
    case tuned(LinkReport)
    /// A message for the log.
    case remark(String)
  }

  public struct Outcome: Sendable {
    /// Counts of the packets received over all links of the session.
    public var counts = ReaderCounts()
    /// Number of links that the runner replaced or tried to replace.
    public var lostLinks = 0
    /// The last requested connection interval and the interval achieved. `nil` before the session
    /// ends.
    public var link: LinkReport?
    public var diagnosis = PacketDiagnosis()
    /// The error that prevented the board from streaming or from stopping properly, or `nil`.
    public var failure: (any Error)?

    public init() {}
  }

  /// Seconds by which each periodic read is offset from the previous one.
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
  /// Number of the current link. Events from earlier links have a lower number and are ignored.
  private var generation = 0
  private var outcome = Outcome()
  private var timer: Task<Void, Never>?
  /// Number of the current wait, used to ignore the timeouts of earlier waits. A wait may post its
  /// timeout just before it is cancelled.
  private var waits = 0
  private var polling: Task<Void, Never>?
  private var relinking: Task<Void, Never>?
  /// Whether the current link's descriptor has hung up.
  private var hasHungUp = false

  /// An event, with the number of the link or wait that it belongs to. The number is `nil` if the
  /// event belongs to neither.
  private struct Posted: Sendable {
    var event: BoardSession.Event
    var generation: Int?
    var wait: Int?
    var isHangUp = false
  }

  /// Creates a runner that uses an established link to a board. `board` is the board's number in
  /// the session.
  ///
  /// Each call to `reconnect` establishes another link, however long that takes, or throws if no
  /// other link is possible. `linkControl` changes the link's connection parameters from the host
  /// side to reach the requested pace.
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

  /// Starts the sensors as soon as the board is ready.
  public nonisolated func start() {
    events.post(Posted(event: .start))
  }

  /// Records that another board is being connected, which may delay this board's data.
  public nonisolated func disturb() {
    events.post(Posted(event: .disturbed))
  }

  /// Sets the number of boards that stream through this board's adapter. The connection interval to
  /// request depends on this number.
  public nonisolated func share(boards: Int) {
    events.post(Posted(event: .tune(.boards(boards))))
  }

  /// Makes the session end cleanly. `run` returns when the session has ended.
  public nonisolated func stop() {
    events.post(Posted(event: .stop))
  }

  /// Starts the board's streams, keeps them running until `stop`, and then closes the link.
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
    // A board that has not confirmed that it stopped may still be sending data.
    await dropLink(isEnd: session.hasConfirmedStop)
    outcome.diagnosis = session.diagnosis
    outcome.link = session.tuning.report
    return outcome
  }

  // MARK: Links

  /// Subscribes to the board over a link and reports the link to the session.
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

  /// Detaches the reader from the link and closes the link. Detaching first delivers the packets
  /// that are still in the socket.
  private func dropLink(isEnd: Bool = false) async {
    outcome.counts += await reader.detach(board, isEnd: isEnd)
    await link?.disconnect(hasHungUp: hasHungUp)
    link = nil
  }

  /// Establishes another link while the session continues to handle events.
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
            await self.report(.remark("the new link cannot be used: \(error)"))
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
          // If an action fails after the session has ended, the only effect is that the board is
          // not fully cleaned up. The next session with this board completes the cleanup.
          if session.hasEnded { return }
          // After a failed write, the link is unusable. If the link is down, the reader reports
          // that as well.
          events.post(Posted(event: .linkLost, generation: generation))
          break
        }
      }
    }
  }

  /// Returns `true` if the action was the session's last.
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

  /// Changes the link in the background, because the system may take several seconds and the
  /// session must continue.
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

  /// Waits, then posts the timeout. Runs on the actor, so that only one thread wakes up, both to
  /// end the wait and to handle the timeout.
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

  /// Starts the periodic reads at staggered times: a board answers only one of two simultaneous
  /// reads of a register.
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
