import BoardDriver
import DBus
import Foundation
import LinuxSystem
import Recording
import Simulation
import Storage
import TestSupport
import Testing
import Values

@testable import Gateway

/// A daemon in a simulated world. Between sessions, the boards detect walking with their own
/// detectors.
@Suite(.simulatedTime) struct DetectorRecordingTests {
  private static let rest = 80.0
  private static let walk = 60.0

  private let folder: TemporaryFolder
  private let log = Guarded<[LogEvent]>([])
  private var store: String { folder.path + "/store.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func world(
    _ model: BoardModel = .metaMotionS, wearer: WearerKind = .intermittent(rest: rest, walk: walk)
  ) throws -> SimulatedWorld {
    var daemon = DaemonSettings()
    daemon.graceSeconds = 0.1
    return try SimulatedWorld(boards: 2, model: model, wearer: wearer, daemon: daemon)
  }

  private func start(
    in world: SimulatedWorld, store path: String? = nil
  ) -> (GatewayDaemon, Task<Void, Never>) {
    let store = path ?? store
    var plan = DaemonPlan(in: world, store: store)
    plan.rule.time = .walking
    plan.walking.lead = 10
    plan.walking.detector = .board
    let log = log
    let daemon = GatewayDaemon(
      plan, version: "test", ServiceManager(environment: [:]),
      DaemonReporter(agent: "test", log: { event in log.withLock { $0.append(event) } }) {
        (($0 as? BoardFailure)?.message ?? "\($0)", ($0 as? BoardFailure)?.remedy ?? "try again")
      })
    return (daemon, Task { await daemon.run() })
  }

  private func watching(_ daemon: GatewayDaemon) async throws {
    try await wait(for: "boards that watch", seconds: 300) {
      daemon.status.boards.allSatisfy { $0.phase == .watching }
    }
  }

  private func session(_ daemon: GatewayDaemon) async throws -> UniqueID {
    try await wait(for: "a session", seconds: 300) { daemon.status.recording.session != nil }
    return try #require(daemon.status.recording.session)
  }

  /// Ends the link of a board and waits until the loss is logged. If the board has no link at this
  /// time, as may happen on a busy machine, its next link is ended.
  private func loseLink(of board: Int, in world: SimulatedWorld) async throws {
    let address = LogEvent.Detail("board", "\(world.boards[board].address)")
    var isLogged = false
    for _ in 0..<12 where !isLogged {
      world.inject(.disconnect, into: board)
      isLogged = await happens(within: 5) {
        log.withLock {
          $0.contains { $0.event == "link lost" && $0.details.contains(address) }
        }
      }
    }
    try #require(isLogged)
  }

  @Test func `nothing is streamed before someone walks, or after everyone has come to rest`()
    async throws
  {
    let world = try world()
    let (daemon, task) = start(in: world)
    for _ in 0..<2 {
      try await watching(daemon)
      #expect(daemon.status.works)
      #expect(daemon.status.activity == "waiting for walking")
      #expect(daemon.status.boards.allSatisfy { $0.streams.isEmpty && $0.sampleAge == nil })
      try await Pause.seconds(15)
      #expect(daemon.status.works, "\(daemon.status.troubles)")
      _ = try await session(daemon)
    }
    try await watching(daemon)
    daemon.stop()
    await task.value
    let sessions = try StoreReader(path: store).sessions().sorted { $0.start < $1.start }
    #expect(sessions.count == 2)
    // The steps taken before the first sample are missing.
    for session in sessions {
      let seconds = try #require(session.end).seconds(since: session.start)
      #expect(seconds > Self.walk - 25 && seconds < Self.walk + 8)
    }
    #expect(world.complaints.isEmpty, "\(world.complaints)")
  }

  @Test func `a session started by a command is recorded even if nobody is walking`() async throws {
    let world = try world(wearer: .still)
    let (daemon, task) = start(in: world)
    try await watching(daemon)
    daemon.take(.stop)
    // The recording was planned before a participant was named.
    try daemon.start(participant: "P07")
    _ = try await session(daemon)
    #expect(daemon.status.recording.participant == "P07")
    try await Pause.seconds(60)
    #expect(daemon.status.recording.session != nil)
    daemon.take(.stop)
    try await watching(daemon)
    daemon.stop()
    await task.value
    #expect(try StoreReader(path: store).sessions().count == 1)
  }

  @Test func `a lost link is replaced, and walking is still detected`() async throws {
    let world = try world()
    let (daemon, task) = start(in: world)
    try await watching(daemon)
    try await loseLink(of: 0, in: world)
    try await loseLink(of: 1, in: world)
    _ = try await session(daemon)
    daemon.stop()
    await task.value
    #expect(try StoreReader(path: store).sessions().count == 1)
  }

  @Test func `a stop command takes effect even if it follows soon after a start command`()
    async throws
  {
    let world = try world(wearer: .still)
    let (daemon, task) = start(in: world)
    try await watching(daemon)
    daemon.take(.start)
    try await Pause.seconds(0.3)
    daemon.take(.stop)
    // The boards stream for half a minute, and then return to detection.
    try await Pause.seconds(10)
    try await watching(daemon)
    daemon.stop()
    await task.value
    #expect(try StoreReader(path: store).sessions().isEmpty)
  }

  @Test func `an interrupted session is recovered before the boards start to detect walking`()
    async throws
  {
    let world = try world(wearer: .still)
    let (daemon, task) = start(in: world)
    try await watching(daemon)
    daemon.take(.start)
    let id = try await session(daemon)
    try await Pause.seconds(5)
    // The boards are in the state in which a killed gateway would leave them.
    let copy = try TemporaryFolder()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.copyItem(
        atPath: "\(folder.path)/\(name)", toPath: "\(copy.path)/\(name)")
    }
    daemon.stop()
    await task.value
    let path = copy.path + "/store.sqlite"
    #expect(try StoreReader(path: path).streams(of: id).allSatisfy { $0.sampleCount == 0 })
    let (next, its) = start(in: world, store: path)
    try await watching(next)
    #expect(log.withLock { $0.contains { $0.event == "recovered" } })
    #expect(try StoreReader(path: path).streams(of: id).allSatisfy { $0.sampleCount > 300 })
    next.stop()
    await its.value
  }

  @Test func `if a walk begins while no gateway is running, the next gateway detects it`()
    async throws
  {
    let world = try world(wearer: .intermittent(rest: Self.rest, walk: 600))
    let (daemon, task) = start(in: world)
    try await watching(daemon)
    // The boards' detectors stay on, as they would if the gateway were killed.
    for board in 0..<2 { world.inject(.stopAnswering(seconds: Self.rest), into: board) }
    daemon.stop()
    await task.value
    try await Pause.seconds(Self.rest + 10)
    let (next, its) = start(in: world)
    _ = try await session(next)
    next.stop()
    await its.value
  }

  @Test
  func `a board that hangs during detection is reported, and resumes detection when it recovers`()
    async throws
  {
    let world = try world(wearer: .still)
    let (daemon, task) = start(in: world)
    try await watching(daemon)
    world.inject(.hang(seconds: 120), into: 0)
    try await wait(for: "the trouble", seconds: 90) {
      daemon.status.troubles.contains { $0.level == .fault }
    }
    try await watching(daemon)
    try await Pause.seconds(100)
    #expect(daemon.status.works, "\(daemon.status.troubles)")
    daemon.stop()
    await task.value
  }

  @Test func `a board without a detector is reported with a remedy`() async throws {
    let world = try world(.metaMotionRL)
    let (daemon, task) = start(in: world)
    try await wait(for: "a trouble", seconds: 120) { !daemon.status.troubles.isEmpty }
    let trouble = try #require(daemon.status.troubles.first)
    #expect(trouble.subject == "recording")
    #expect(trouble.text.hasSuffix("the board has no walking detector"))
    #expect(trouble.remedy == "set 'detector = gateway' in [recording], or use a MetaMotion S")
    daemon.stop()
    await task.value
  }
}

/// The rules for returning from recording to detection by the boards' own detectors.
@Suite(.computation) struct DetectorTurnTests {
  private static func status(
    lead: Double = 0, isStopped: Bool = false, received: UInt64 = 100
  ) -> LiveStatus {
    var status = LiveStatus()
    status.standby = LiveStatus.Standby(lead: lead, held: 20, isStopped: isStopped)
    var stream = LiveStatus.Stream(
      description: StreamDescription(
        signal: "acceleration", unit: "g", countsPerUnit: 1, rate: 100, lossAccounting: .counted))
    stream.received = received
    let identity = BoardIdentity(
      address: BoardAddress(value: 5), name: "left", model: "", firmware: "")
    status.boards = [LiveStatus.Board(identity: identity, phase: .streaming, streams: [stream])]
    return status
  }

  private func time(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  @Test func `half a minute without walking switches back to detection`() {
    var turn = DetectorTurn()
    for second in 0..<30 {
      let isDue = turn.isDue(Self.status(), at: time(Double(second)))
      #expect(!isDue)
    }
    let isDue = turn.isDue(Self.status(), at: time(30))
    #expect(isDue)
  }

  @Test(arguments: [status(lead: 3), status(isStopped: true), status(received: 0), LiveStatus()])
  func `the countdown to detection restarts after a walk, a stop, missing samples or a session`(
    status: LiveStatus
  ) {
    var turn = DetectorTurn()
    _ = turn.isDue(Self.status(), at: time(0))
    let isDue = turn.isDue(status, at: time(29))
    #expect(!isDue)
    let isDueThen = turn.isDue(Self.status(), at: time(58))
    #expect(!isDueThen)
    let isDueLast = turn.isDue(Self.status(), at: time(88))
    #expect(isDueLast)
  }
}
