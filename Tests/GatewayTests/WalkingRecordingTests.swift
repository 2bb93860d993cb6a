import BoardDriver
import ChunkFormat
import DBus
import LinuxSystem
import Positioning
import Recording
import Simulation
import Storage
import TestSupport
import Testing
import Values

@testable import Gateway

/// A daemon whose sessions begin and end with walking, in a simulated world.
@Suite(.simulatedTime) struct WalkingRecordingTests {
  private static let rest = 30.0
  private static let walk = 40.0

  private let world: SimulatedWorld
  private let folder: TemporaryFolder
  private let log = Guarded<[LogEvent]>([])
  private var store: String { folder.path + "/store.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
    var daemon = DaemonSettings()
    daemon.graceSeconds = 0.1
    world = try SimulatedWorld(
      boards: 2, hasReceiver: true, wearer: .intermittent(rest: Self.rest, walk: Self.walk),
      daemon: daemon)
  }

  private func plan(
    receiver: PositionSource? = nil, into path: String? = nil,
    _ change: (inout WalkingSettings) -> Void = { _ in }
  ) -> DaemonPlan {
    var plan = DaemonPlan(in: world, store: path ?? store)
    plan.recording.receiver = receiver
    plan.rule.time = .walking
    plan.walking.lead = 10
    change(&plan.walking)
    return plan
  }

  private func start(
    receiver: PositionSource? = nil, into path: String? = nil,
    _ change: (inout WalkingSettings) -> Void = { _ in }
  ) -> (GatewayDaemon, Task<Void, Never>) {
    let log = log
    let daemon = GatewayDaemon(
      plan(receiver: receiver, into: path, change), version: "test",
      ServiceManager(environment: [:]),
      DaemonReporter(agent: "test", log: { event in log.withLock { $0.append(event) } }) {
        ("\($0)", "try again")
      })
    return (daemon, Task { await daemon.run() })
  }

  private func stop(_ daemon: GatewayDaemon, _ task: Task<Void, Never>) async {
    daemon.stop()
    await task.value
  }

  private func session(_ daemon: GatewayDaemon) async throws -> UniqueID {
    try await wait(for: "a session", seconds: 300) { daemon.status.recording.session != nil }
    return try #require(daemon.status.recording.session)
  }

  private func standby(_ daemon: GatewayDaemon) async throws {
    try await wait(for: "the standby", seconds: 300) {
      daemon.status.recording.phase == .standby
    }
  }

  /// Begins a session by command, makes a reload begin another recording, and stops it.
  private func startReloadStop(_ daemon: GatewayDaemon) async throws {
    try await standby(daemon)
    daemon.take(.start)
    let first = try await session(daemon)
    daemon.take(plan { $0.lead = 90 }, keepsRecording: false)
    try await wait(for: "another session", seconds: 60) {
      ![nil, first].contains(daemon.status.recording.session)
    }
    daemon.take(.stop)
    try await standby(daemon)
  }

  /// Waits until the open session has taken nothing for four seconds.
  private func rest(_ daemon: GatewayDaemon) async throws {
    func received() -> UInt64 {
      daemon.status.boards.flatMap(\.streams).reduce(0) { $0 + $1.received }
    }
    var last: UInt64
    repeat {
      last = received()
      try await Pause.seconds(4)
    } while received() != last
  }

  private func events(_ name: String) -> [LogEvent] {
    log.withLock { $0.filter { $0.event == name } }
  }

  /// The samples of a session's accelerometers: by stream their numbers, and how far the length of
  /// each is from 1 g.
  private func accelerations(
    of session: UniqueID, in reader: borrowing StoreReader
  ) throws -> [(numbers: [UInt32], motion: [Double])] {
    let start = try #require(try reader.sessions().first { $0.id == session }).start
    return try reader.streams(of: session).filter { $0.description.signal == "acceleration" }.map {
      stream in
      var numbers: [UInt32] = []
      var motion: [Double] = []
      for stored in try reader.chunks(of: stream) {
        let bytes = try reader.bytes(ofChunk: stored.id)
        let chunk = try Chunk(decoding: bytes.span)
        // No sample is older than its session.
        #expect(chunk.time(at: 0) >= start)
        numbers += chunk.counters
        for row in 0..<chunk.count {
          let axes = chunk.columns.map { stream.description.value(of: $0[row]) }
          motion.append(abs(axes.reduce(0) { $0 + $1 * $1 }.squareRoot() - 1))
        }
      }
      return (numbers, motion)
    }
  }

  @Test func `each walk is a session, with all samples since before its first step`() async throws {
    let (daemon, task) = start()
    try await standby(daemon)
    #expect(daemon.status.works)
    #expect(daemon.status.activity == "waits for walking")
    for _ in 0..<3 {
      _ = try await session(daemon)
      try await standby(daemon)
    }
    await stop(daemon, task)
    let reader = try StoreReader(path: store)
    let sessions = try reader.sessions()
    #expect(sessions.count == 3)
    #expect(events("session begun").count == 3)
    #expect(events("session closed").count == 3)
    // The first session may begin during a walk.
    for session in sessions.sorted(by: { $0.start < $1.start }).dropFirst() {
      let seconds = try #require(session.end).seconds(since: session.start)
      #expect(seconds > Self.walk && seconds < Self.walk + 8)
      for (numbers, motion) in try accelerations(of: session.id, in: reader) {
        #expect(motion.count > Int(Self.walk * 95))
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
        // It begins and ends at rest: neither the first step nor the last is cut.
        let first = try #require(motion.firstIndex { $0 > 0.15 })
        let last = try #require(motion.lastIndex { $0 > 0.15 })
        #expect(first > 20 && first < 200)
        #expect(motion.count - last > 20)
      }
      #expect(try reader.streams(of: session.id).allSatisfy { $0.lostCount == 0 })
      #expect(try reader.streams(of: session.id).count == 4)
      #expect(try reader.events(of: session.id).count { $0.kind == .settings } == 2)
    }
  }

  @Test func `between sessions nothing is stored, and no sample is in two of them`() async throws {
    let (daemon, task) = start()
    _ = try await session(daemon)
    try await standby(daemon)
    _ = try await session(daemon)
    try await standby(daemon)
    await stop(daemon, task)
    let reader = try StoreReader(path: store)
    let sessions = try reader.sessions().sorted { $0.start < $1.start }
    let first = try accelerations(of: sessions[0].id, in: reader)
    let second = try accelerations(of: sessions[1].id, in: reader)
    for (former, later) in zip(first, second) {
      let end = try #require(former.numbers.last)
      let start = try #require(later.numbers.first)
      // The wearer rested for 30 seconds.
      #expect(start > end + 1_500)
    }
    let end = try #require(sessions[0].end)
    #expect(end < sessions[1].start)
  }

  @Test func `a link lost during a walk loses counted samples, but no session`()
    async throws
  {
    let (daemon, task) = start()
    try await standby(daemon)
    let first = try await session(daemon)
    world.inject(.dropAll(seconds: 5), into: 0)
    try await standby(daemon)
    await stop(daemon, task)
    let reader = try StoreReader(path: store)
    #expect(try reader.sessions().map(\.id) == [first])
    let lost = try reader.streams(of: first).map(\.lostCount)
    #expect(lost.count { $0 > 0 } == 2)
  }

  /// Makes a session begin, and keeps the store as a kill leaves it some seconds later.
  private func cutOff(to path: String, after seconds: Double) async throws -> UniqueID {
    let (daemon, task) = start()
    try await standby(daemon)
    let id = try await session(daemon)
    try await Pause.seconds(seconds)
    _ = try StoreBackup.make(of: store, to: path) { _, _ in true }
    await stop(daemon, task)
    return id
  }

  @Test func `an interrupted walk continues at once, and ends when its wearer rests`()
    async throws
  {
    let cut = folder.path + "/cut.sqlite"
    let id = try await cutOff(to: cut, after: 5)
    let (daemon, task) = start(into: cut)
    #expect(try await session(daemon) == id)
    #expect(events("session continued").count == 1)
    try await standby(daemon)
    _ = try await session(daemon)
    await stop(daemon, task)
    let reader = try StoreReader(path: cut)
    let walks = try reader.sessions().sorted { $0.start < $1.start }
    #expect(walks.count == 2 && walks[0].id == id && walks[0].ending == .closed)
    // The lead was 10 s: less of the walk is missing than another lead would have lost.
    let seconds = try #require(walks[0].end).seconds(since: walks[0].start)
    #expect(seconds > Self.walk && seconds < Self.walk + 8)
    for stream in try reader.streams(of: id) {
      #expect(stream.lostCount > 0 && stream.lostCount < 1_500, "\(stream)")
    }
  }

  @Test func `a walk that ended while the gateway was away ends with its last stored sample`()
    async throws
  {
    let cut = folder.path + "/cut.sqlite"
    let id = try await cutOff(to: cut, after: 5)
    try await Pause.seconds(Self.walk)
    let (daemon, task) = start(into: cut) { $0.lead = 5 }
    try await wait(for: "the end", seconds: 300) { events("session closed").count == 2 }
    await stop(daemon, task)
    #expect(events("session continued").count == 1)
    let session = try #require(try StoreReader(path: cut).sessions().first { $0.id == id })
    #expect(session.ending == .closed)
  }

  @Test func `a resting wearer is not a fault, although samples are held`() async throws {
    let (daemon, task) = start { $0.lead = 25 }
    try await standby(daemon)
    _ = try await session(daemon)
    var troubles: [String] = []
    try await wait(for: "the standby", seconds: 300) {
      troubles += daemon.status.troubles.filter { $0.level == .fault }.map(\.text)
      return daemon.status.recording.phase == .standby
    }
    #expect(troubles.isEmpty, "\(troubles)")
    await stop(daemon, task)
  }

  @Test func `a command begins a session at once, which lasts through walks until the stop`()
    async throws
  {
    let (daemon, task) = start()
    _ = try await session(daemon)
    try await standby(daemon)
    daemon.take(.start)
    try await wait(for: "a session", seconds: 5) { daemon.status.recording.session != nil }
    let id = daemon.status.recording.session
    try await Pause.seconds(2 * (Self.walk + Self.rest))
    #expect(daemon.status.recording.session == id)
    daemon.take(.stop)
    try await wait(for: "the end", seconds: 5) { daemon.status.recording.session != id }
    await stop(daemon, task)
    let reader = try StoreReader(path: store)
    let sessions = try reader.sessions().sorted { $0.start < $1.start }
    #expect(sessions[1].id == id)
    for (numbers, _) in try accelerations(of: sessions[1].id, in: reader) {
      #expect(numbers.count > Int(2 * (Self.walk + Self.rest) * 99))
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }
  }

  @Test func `a start just after a walk begins its own session, which does not end with it`()
    async throws
  {
    let (daemon, task) = start { $0.lead = 20 }
    try await standby(daemon)
    try await wait(for: "a walk", seconds: 300) {
      daemon.status.recording.standby.map { $0.lead > 5 } ?? false
    }
    let walk = try await session(daemon)
    // The walk is over on both boards, and rest does not lead yet.
    try await rest(daemon)
    daemon.take(.start)
    try await wait(for: "another session", seconds: 5) {
      ![nil, walk].contains(daemon.status.recording.session)
    }
    let own = try #require(daemon.status.recording.session)
    try await Pause.seconds(60)
    #expect(daemon.status.recording.session == own)
    await stop(daemon, task)
    let reader = try StoreReader(path: store)
    let sessions = try reader.sessions().sorted { $0.start < $1.start }
    #expect(sessions.map(\.id) == [walk, own])
    // The session of the walk ended with its last step, before the command.
    let end = try #require(sessions[0].end)
    #expect(sessions[1].start.seconds(since: end) > 2)
  }

  @Test func `a start holds when a reload begins another recording`() async throws {
    let (daemon, task) = start { $0.lead = 90 }
    try await startReloadStop(daemon)
    await stop(daemon, task)
    #expect(try StoreReader(path: store).sessions().count == 2)
    // The new links after a reload are not a reason to press buttons.
    #expect(events("no session begins").isEmpty)
  }

  @Test func `a stop while nobody walks does not show, even just after a reload`() async throws {
    let (daemon, task) = start { $0.lead = 90 }
    try await startReloadStop(daemon)
    for _ in 1...100 {
      let recording = daemon.status.recording
      let walks = recording.standby.map { $0.isWalk || $0.lead > 0 } ?? false
      #expect(!recording.isStopped || walks, "\(recording)")
      try await Pause.seconds(0.1)
    }
    await stop(daemon, task)
  }

  @Test func `the stop of a walk holds when a reload begins another recording during it`()
    async throws
  {
    let (daemon, task) = start()
    let first = try await session(daemon)
    daemon.take(.stop)
    try await wait(for: "the end", seconds: 5) { daemon.status.recording.isStopped }
    daemon.take(plan(), keepsRecording: false)
    let second = try await session(daemon)
    await stop(daemon, task)
    let sessions = try StoreReader(path: store).sessions().sorted { $0.start < $1.start }
    #expect(sessions.map(\.id) == [first, second])
    // It was the next walk.
    let end = try #require(sessions[0].end)
    #expect(sessions[1].start.seconds(since: end) > Self.rest)
  }

  @Test func `another lead takes effect at once, and the boards keep their links`() async throws {
    // No walk of this wearer is as long.
    let (daemon, task) = start { $0.lead = 90 }
    try await standby(daemon)
    try await Pause.seconds(2 * (Self.rest + Self.walk))
    #expect(daemon.status.recording.phase == .standby)
    daemon.take(plan(), keepsRecording: true)
    _ = try await session(daemon)
    try await standby(daemon)
    await stop(daemon, task)
    let reader = try StoreReader(path: store)
    #expect(try reader.sessions().count == 1)
    #expect(events("connected").count == 2)
    #expect(try reader.streams(of: reader.sessions()[0].id).allSatisfy { $0.lostCount == 0 })
  }

  @Test func `a walk that a person stops is not recorded further, but the next one is`()
    async throws
  {
    let (daemon, task) = start()
    let first = try await session(daemon)
    daemon.take(.stop)
    try await wait(for: "the end", seconds: 5) { daemon.status.recording.session == nil }
    #expect(daemon.status.activity == "stopped by command")
    let second = try await session(daemon)
    #expect(first != second)
    await stop(daemon, task)
    let sessions = try StoreReader(path: store).sessions().sorted { $0.start < $1.start }
    #expect(sessions.map(\.id) == [first, second])
    // It was the next walk.
    let end = try #require(sessions[0].end)
    #expect(sessions[1].start.seconds(since: end) > Self.rest)
  }

  @Test func `a pause ends with its walk, and between walks there is nothing to pause`()
    async throws
  {
    let (daemon, task) = start()
    try await standby(daemon)
    #expect(!daemon.pause(true))
    let first = try await session(daemon)
    #expect(daemon.pause(true))
    try await wait(for: "the pause", seconds: 5) { daemon.status.recording.pause != nil }
    try await standby(daemon)
    #expect(daemon.status.recording.pause == nil)
    let second = try await session(daemon)
    #expect(daemon.status.recording.pause == nil)
    await stop(daemon, task)
    let reader = try StoreReader(path: store)
    #expect(try reader.streams(of: first).contains { $0.lostCount > 100 })
    #expect(try reader.streams(of: second).allSatisfy { $0.lostCount == 0 })
  }

  @Test func `a walk that a person stops before it leads is not recorded, but the next one is`()
    async throws
  {
    let (daemon, task) = start { $0.lead = 20 }
    try await standby(daemon)
    try await wait(for: "a walk", seconds: 300) {
      daemon.status.recording.standby.map { $0.lead > 5 } ?? false
    }
    daemon.take(.stop)
    try await wait(for: "the stop", seconds: 5) { daemon.status.recording.isStopped }
    try await Pause.seconds(Self.walk)
    #expect(daemon.status.recording.session == nil)
    let next = try await session(daemon)
    try await standby(daemon)
    await stop(daemon, task)
    #expect(try StoreReader(path: store).sessions().map(\.id) == [next])
  }

  @Test func `a session waits for the receiver, which is logged once in five minutes`() async throws
  {
    let (daemon, task) = start(receiver: .serial(folder.path + "/gone", speed: nil))
    // The receiver itself is a fault after seconds.
    try await wait(for: "a refusal", seconds: 300) {
      daemon.status.troubles.contains { $0.subject == "recording" }
    }
    #expect(daemon.status.troubles.first?.subject == "recording")
    try await Pause.seconds(290)
    #expect(events("no session begins").count == 1)
    try await Pause.seconds(100)
    #expect(events("no session begins").count == 2)
    await stop(daemon, task)
    #expect(try StoreReader(path: store).sessions().isEmpty)
  }

  @Test func `without waiting for the receiver it records without positions`() async throws {
    let (daemon, task) = start(receiver: .serial(folder.path + "/gone", speed: nil)) {
      $0.withoutReceiver = .record
    }
    _ = try await session(daemon)
    await stop(daemon, task)
    #expect(try StoreReader(path: store).sessions().count == 1)
  }

  @Test func `positions of the seconds before the decision are in the session`() async throws {
    let path = try #require(world.receiverPath)
    let (daemon, task) = start(receiver: .serial(path, speed: nil))
    try await standby(daemon)
    let id = try await session(daemon)
    try await standby(daemon)
    await stop(daemon, task)
    let reader = try StoreReader(path: store)
    let session = try #require(try reader.sessions().first { $0.id == id })
    let fixes = try reader.fixes(of: id)
    let times = fixes.map { $0.arrival.seconds(since: session.start) }
    #expect(try #require(times.first) < 2)
    #expect(try #require(times.first) >= 0)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < 1.5 && $1 > $0 })
  }
}
