import BoardDriver
import DBus
import Gateway
import LinuxSystem
import Recording
import Simulation
import Storage
import TestSupport
import Testing
import Values

/// The whole daemon in a simulated world, with a clock that jumps.
@Suite(.simulatedTime) struct GatewayDaemonTests {
  private let world: SimulatedWorld
  private let folder: TemporaryFolder
  private let log = Guarded<[LogEvent]>([])
  private var store: String { folder.path + "/store.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
    world = try FieldRecording.world(boards: 2)
  }

  private func plan(_ change: (inout DaemonPlan) -> Void = { _ in }) -> DaemonPlan {
    var plan = DaemonPlan(
      RecordingPlan(
        bus: world.bus, boards: .addresses(world.boards.map(\.address)), receiver: nil,
        store: store, scanSeconds: 45),
      store: store)
    change(&plan)
    return plan
  }

  /// A daemon with this plan, and its task.
  private func start(_ plan: DaemonPlan) -> (GatewayDaemon, Task<Void, Never>) {
    let log = log
    let daemon = GatewayDaemon(
      plan, version: "test", ServiceManager(environment: [:]),
      DaemonVoice(agent: "test", log: { event in log.withLock { $0.append(event) } }) {
        ("\($0)", "try again")
      })
    return (daemon, Task { await daemon.run() })
  }

  private func samples(_ daemon: GatewayDaemon) -> UInt64 {
    daemon.status.boards.flatMap(\.streams).reduce(0) { $0 + $1.received }
  }

  /// Waits until both boards have sent so many samples in the present session.
  private func stream(_ daemon: GatewayDaemon, _ count: UInt64 = 200) async throws {
    try await wait(for: "samples") {
      let boards = daemon.status.boards
      return boards.count == 2
        && boards.allSatisfy { $0.streams.contains { $0.received >= count } }
    }
  }

  /// Samples of all sessions in the store, each of which is closed.
  private func stored() throws -> [Int] {
    let reader = try StoreReader(path: store)
    return try reader.sessions().map { session in
      #expect(session.end != nil)
      var count = 0
      for stream in try reader.streams(of: session.id) {
        for chunk in try reader.chunks(of: stream) { count += chunk.sampleCount }
      }
      return count
    }
  }

  @Test func `it records until it is stopped, within five seconds, with everything stored`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon)
    #expect(daemon.status.works)
    #expect(daemon.status.recording.phase == .recording)
    let asked = GivenTime.now
    daemon.stop()
    await task.value
    #expect(GivenTime.now.seconds(since: asked) < 5)
    #expect(try stored().reduce(0, +) == Int(world.boardCounts.reduce(0) { $0 + $1.samples }))
  }

  @Test func `boards that come late are recorded within a minute, and named until then`()
    async throws
  {
    world.inject(.heldByAnotherCentral(seconds: 240))
    let (daemon, task) = start(plan())
    try await wait(for: "a fault") { !daemon.status.works }
    let trouble = try #require(daemon.status.troubles.first)
    #expect(trouble.subject == "recording")
    #expect(!trouble.text.isEmpty)
    try await Pause.seconds(180)
    #expect(daemon.status.recording.restarts > 0)
    #expect(!daemon.status.works)
    try await Pause.seconds(60)
    let returned = GivenTime.now
    try await stream(daemon, 1)
    #expect(GivenTime.now.seconds(since: returned) < 60)
    daemon.stop()
    await task.value
    // Tries without a sample leave no session.
    #expect(try stored().count == 1)
  }

  @Test func `a board that is lost is a fault within ten seconds, and none when it is back`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon)
    world.inject(.dropAll(seconds: 30), into: 1)
    let lost = GivenTime.now
    try await wait(for: "a fault") { !daemon.status.works }
    #expect(GivenTime.now.seconds(since: lost) < 12)
    #expect(daemon.status.troubles.first?.subject == world.boards[1].name)
    try await wait(for: "the board") { daemon.status.works }
    daemon.stop()
    await task.value
  }

  @Test func `a session is closed after its longest time, and the next one begins`() async throws {
    let (daemon, task) = start(plan { $0.sessionSeconds = 60 })
    try await stream(daemon)
    let first = try #require(daemon.status.recording.session)
    try await wait(for: "another session") {
      daemon.status.recording.session.map { $0 != first } ?? false
    }
    daemon.stop()
    await task.value
    #expect(try stored().count == 2)
    #expect(daemon.status.recording.restarts == 0)
    #expect(try stored().reduce(0, +) == Int(world.boardCounts.reduce(0) { $0 + $1.samples }))
  }

  @Test func `commands begin and end a recording, and the daemon goes on`() async throws {
    let (daemon, task) = start(plan { $0.rule = .command })
    try await Pause.seconds(30)
    #expect(daemon.status.recording.phase == .waiting)
    #expect(daemon.status.works)
    daemon.take(.start)
    try await stream(daemon)
    daemon.take(.stop)
    try await wait(for: "the end") { daemon.status.recording.phase == .waiting }
    try await Pause.seconds(30)
    #expect(try stored().count == 1)
    daemon.take(.start)
    try await stream(daemon)
    daemon.stop()
    await task.value
    #expect(try stored().count == 2)
  }

  @Test func `a new configuration leaves the recording alone, or closes it and begins another`()
    async throws
  {
    let (daemon, task) = start(plan())
    try await stream(daemon)
    let first = daemon.status.recording.session
    daemon.take(plan { $0.uploads = .never }, keepsRecording: true)
    try await stream(daemon, samples(daemon) / 4 + 100)
    #expect(daemon.status.recording.session == first)
    daemon.take(
      plan { $0.recording.sensors = [SensorRequest(signal: "acceleration", rate: 50)] },
      keepsRecording: false)
    try await wait(for: "another session") {
      let session = daemon.status.recording.session
      return session != nil && session != first
    }
    #expect(daemon.status.boards.allSatisfy { $0.streams.map(\.signal) == ["acceleration"] })
    daemon.stop()
    await task.value
    #expect(try stored().reduce(0, +) == Int(world.boardCounts.reduce(0) { $0 + $1.samples }))
  }

  @Test func `without bluetoothd it waits, says so, and records when it is there`() async throws {
    world.inject(.daemonGone(seconds: 120, keepsLinks: false))
    let (daemon, task) = start(plan())
    try await wait(for: "a fault") { !daemon.status.works }
    try await Pause.seconds(100)
    let returned = GivenTime.now
    try await stream(daemon, 1)
    #expect(GivenTime.now.seconds(since: returned) < 80)
    daemon.stop()
    await task.value
  }

  @Test func `a store that another program has is a fault, and is taken when it is free`()
    async throws
  {
    var other: RecordingRun? = try RecordingRun(plan().recording, log: { _ in })
    let run = try #require(other)
    let recording = Task { try await run.run() }
    try await wait(for: "the other recording") { !run.liveStatus.boards.isEmpty }
    let (daemon, task) = start(plan())
    try await wait(for: "a fault") { !daemon.status.works }
    run.stop()
    _ = try await recording.value
    other = nil
    try await stream(daemon)
    #expect(daemon.status.works)
    daemon.stop()
    await task.value
  }
}
