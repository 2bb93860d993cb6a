internal import Gateway
internal import LinuxSystem
internal import Positioning
internal import Simulation
internal import Storage
internal import Upload
internal import Values

/// Runs the day of `demo --fast` on one thread. The gateway's production code runs with a simulated
/// clock, simulated hardware and a simulated network.
final class SimulatedDay {
  private typealias Plan = DemoDayPlan

  /// Midnight at the start of the day, in UTC: 15 June 2026.
  private static let midnight = UTCTime(nanoseconds: 1_781_481_600_000_000_000)
  /// Seconds that a receiver needs to find satellites after it is plugged in.
  private static let searchSeconds = 35.0
  /// Seconds of recording between two snapshots for display.
  private static let viewSeconds = 1.0

  private let setting: DemoDay.Setting
  private let scene: Guarded<DemoDay.Scene>
  private let stopping: StopFlag
  private let time: SimulatedTime
  private let pipes: TemporaryFolder
  private let world: SimulatedWorld
  /// The number of samples that the radio delivered to the gateway.
  private let arrived = Guarded<UInt64>(0)
  private let network: DemoNetwork
  private let destination: DestinationSettings
  private var receiver: SimulatedReceiverLine?
  private var lastView = 0.0

  /// Switches the calling thread to simulated time until `end` is called.
  init(
    _ setting: DemoDay.Setting, _ scene: Guarded<DemoDay.Scene>, _ stopping: StopFlag
  ) throws {
    self.setting = setting
    self.scene = scene
    self.stopping = stopping
    pipes = try TemporaryFolder(prefix: "footbridge-demo")
    time = SimulatedTime(
      seed: setting.seed,
      at: UTCTime(nanoseconds: Self.midnight.nanoseconds + Int64(Plan.firstHour * 3.6e12)))
    time.install()
    do {
      world = try SimulatedWorld(
        boards: setting.boards, adapters: setting.adapters, hasReceiver: false,
        seed: setting.seed, wearer: setting.wearer,
        witness: { [arrived] delivery in
          switch delivery {
          case .notification(_, let notification, let isLeftOver):
            if !isLeftOver { arrived.withLock { $0 += UInt64(notification.sampleCount) } }
          }
        })
      destination = DestinationSettings(.folder(path: setting.server))
      network = DemoNetwork(to: try FolderDestination(path: setting.server))
    } catch {
      time.remove()
      throw error
    }
  }

  /// Switches the thread back to real time.
  func end() {
    receiver?.stop()
    world.stop()
    time.remove()
  }

  /// Runs the whole day. Returns early if a recording fails or the day is stopped.
  func live() throws -> DemoDay.Outcome {
    var outcome = DemoDay.Outcome()
    for (number, walk) in Plan.walks.enumerated() {
      guard !outcome.hasFailed, pass(until: walk.hour) else { break }
      outcome.walks.append(try record(walk, number))
    }
    for upload in Plan.uploads {
      guard !outcome.hasFailed, pass(until: upload.hour) else { break }
      tell(upload.text)
      network.change(to: upload.network)
      try send()
    }
    outcome.arrivals = network.arrivals
    outcome.seconds = time.elapsed
    return outcome
  }

  // MARK: Time

  /// Advances the simulated time to an hour of the day. Returns `false` if the day was stopped.
  private func pass(until hour: Double) -> Bool {
    var isOver = false
    time.after((hour - Plan.firstHour) * 3_600 - time.elapsed) { isOver = true }
    time.run { isOver || stopping.isRaised }
    return !stopping.isRaised
  }

  /// Runs a task until it ends. If the day is stopped, asks the task to end early.
  private func finish<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value, stop: () -> Void,
    atEachStep look: () -> Void = {}
  ) throws -> Value {
    let result = Guarded<Result<Value, any Error>?>(nil)
    Task.detached {
      let ended: Result<Value, any Error>
      do { ended = .success(try await body()) } catch { ended = .failure(error) }
      result.withLock { $0 = ended }
    }
    var hasStopped = false
    time.run {
      look()
      if stopping.isRaised, !hasStopped {
        hasStopped = true
        stop()
      }
      return result.withLock { $0 != nil }
    }
    guard let ended = result.withLock({ $0 }) else {
      preconditionFailure("a task ended without a result")
    }
    return try ended.get()
  }

  private func tell(_ text: String) {
    let seconds = Int((Plan.firstHour * 3_600 + time.elapsed).rounded())
    func digits(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    let clock =
      "day \(seconds / 86_400 + 1) \(digits(seconds / 3_600 % 24)):\(digits(seconds / 60 % 60)):"
      + digits(seconds % 60)
    scene.withLock { $0.news.append(.field(clock: clock, text)) }
  }

  // MARK: Walks

  private func record(_ walk: Plan.Walk, _ number: Int) throws -> DemoDay.Outcome.Walk {
    tell("someone starts recording the \(walk.name) walk")
    try switchReceiver(isOn: true)
    defer { receiver?.stop() }
    let before = counts()
    let run = try RecordingRun(
      RecordingPlan(
        bus: world.bus, boards: .any(count: setting.boards), sensors: setting.sensors,
        receiver: .serial(receiverPath, speed: nil), store: setting.store, scanSeconds: 60,
        note: "demo, \(walk.name)")
    ) { [scene] event in
      scene.withLock { $0.news.append(.gateway(event)) }
    }
    for event in walk.events {
      time.after(event.minute * 60) { self.perform(event) }
    }
    time.after(walk.minutes * 60) {
      self.tell("someone presses Ctrl-C")
      run.stop()
    }
    let recording = try finish({ try await run.run() }, stop: run.stop) { [self] in
      guard time.elapsed - lastView >= Self.viewSeconds else { return }
      lastView = time.elapsed
      scene.withLock { $0.recording = (number, run.liveStatus) }
    }
    scene.withLock { $0.recording = nil }
    let after = counts()
    return DemoDay.Outcome.Walk(
      name: walk.name, sent: after.sent - before.sent, arrived: after.arrived - before.arrived,
      recording: recording)
  }

  /// Returns the number of samples sent by the boards, and the number that reached the gateway.
  private func counts() -> (sent: UInt64, arrived: UInt64) {
    (world.boardCounts.reduce(0) { $0 + $1.samples }, arrived.withLock { $0 })
  }

  private func perform(_ event: Plan.Event) {
    tell(event.text)
    for kind in event.kinds {
      switch kind {
      // With several boards, a board fault affects only the board that is nearest.
      case .board(let fault): world.inject(fault, into: 0)
      case .daemon(let fault): world.inject(fault)
      case .receiver(let isOn):
        do {
          try switchReceiver(isOn: isOn)
        } catch {
          tell("the receiver cannot be switched on: \(error)")
        }
      }
    }
  }

  private var receiverPath: String { pipes.path + "/gps" }

  /// Plugs in or unplugs the receiver. Once plugged in, the receiver takes some time to find
  /// satellites.
  private func switchReceiver(isOn: Bool) throws {
    receiver?.stop()
    receiver = nil
    guard isOn else {
      _ = Folder.remove(file: receiverPath)
      return
    }
    let time = time
    receiver = try time.outside {
      try SimulatedReceiverLine(
        SimulatedReceiver(
          route: setting.wearer.route, seed: setting.seed, fixAfter: Self.searchSeconds),
        intoPipe: receiverPath, clock: { time.trueTime }, witness: { _, _ in })
    }
  }

  // MARK: Uploads

  private func send() throws {
    let stored = try StoreEditor(path: setting.store).addDestination(
      named: "server", place: destination.placeText, settings: destination.text,
      at: BootClock.systemTime())
    let run = try UploadRun(
      store: setting.store, [UploadRun.Target(stored, destination, network)])
    let outcomes = try finish({ await run.run() }, stop: run.stop)
    let counts = try StoreReader(path: setting.store).uploadCounts(for: stored)
    if let outcome = outcomes.first {
      let report = UploadReport(stored, outcome.outcome, counts)
      for line in report.lines { tell(line) }
      if case .unreachable(let setback) = outcome.outcome.ending {
        tell("cannot upload: \(setback.reason)")
      }
    }
  }
}
