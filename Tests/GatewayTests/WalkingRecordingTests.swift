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

/// A daemon in a simulated world. Walking starts and ends its sessions.
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

  /// Starts a session by command, lets a reload start another recording, and then stops the
  /// session.
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

  /// Waits until the open session has received no samples for four seconds.
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

  /// Returns the accelerometer samples of a session. For each sample, a stream has its number and
  /// the deviation of its magnitude from 1 g.
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

  @Test func `each walk becomes a session whose samples begin before the walk's first step`()
    async throws
  {
    let (daemon, task) = start()
    try await standby(daemon)
    #expect(daemon.status.works)
    #expect(daemon.status.activity == "waiting for walking")
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
    // The first session may start in the middle of a walk.
    for session in sessions.sorted(by: { $0.start < $1.start }).dropFirst() {
      let seconds = try #require(session.end).seconds(since: session.start)
      #expect(seconds > Self.walk && seconds < Self.walk + 8)
      for (numbers, motion) in try accelerations(of: session.id, in: reader) {
        #expect(motion.count > Int(Self.walk * 95))
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
        // The wearer is at rest when the session starts and ends, so neither the first nor the last
        // step is cut off.
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

  @Test func `between sessions no samples are stored, and no sample is in two sessions`()
    async throws
  {
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

  @Test
  func `if packets are lost during a walk, the lost samples are counted and the session continues`()
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

  /// Starts a session. After a few seconds, copies the store in the state in which a kill would
  /// leave it.
  private func cutOff(to path: String, after seconds: Double) async throws -> UniqueID {
    let (daemon, task) = start()
    try await standby(daemon)
    let id = try await session(daemon)
    try await Pause.seconds(seconds)
    _ = try StoreBackup.make(of: store, to: path) { _, _ in true }
    await stop(daemon, task)
    return id
  }

  @Test func `an interrupted walk continues at once, and its session ends when the wearer rests`()
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
    // The lead time was 10 s. If it had started again, more of the walk would be missing.
    let seconds = try #require(walks[0].end).seconds(since: walks[0].start)
    #expect(seconds > Self.walk && seconds < Self.walk + 8)
    for stream in try reader.streams(of: id) {
      #expect(stream.lostCount > 0 && stream.lostCount < 1_500, "\(stream)")
    }
  }

  @Test
  func `if a walk ends while no gateway runs, the next gateway continues and closes its session`()
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

  @Test func `a wearer at rest does not cause a fault, although no samples are stored`()
    async throws
  {
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

  @Test
  func `a start command immediately begins a session that continues through walks until the stop`()
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

  @Test
  func `a session started by command just after a walk does not end with that walk`()
    async throws
  {
    let (daemon, task) = start { $0.lead = 20 }
    try await standby(daemon)
    try await wait(for: "a walk", seconds: 300) {
      daemon.status.recording.standby.map { $0.lead > 5 } ?? false
    }
    let walk = try await session(daemon)
    // Both boards consider the walk over, but the rest is still shorter than the lead time.
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
    // The walk's session ended with the walk's last step, before the command.
    let end = try #require(sessions[0].end)
    #expect(sessions[1].start.seconds(since: end) > 2)
  }

  @Test func `a start command remains in effect when a reload starts another recording`()
    async throws
  {
    let (daemon, task) = start { $0.lead = 90 }
    try await startReloadStop(daemon)
    await stop(daemon, task)
    #expect(try StoreReader(path: store).sessions().count == 2)
    // New links after a reload do not cause the log event that advises pressing the boards'
    // buttons.
    #expect(events("no session begins").isEmpty)
  }

  @Test
  func `a stop while nobody is walking is not shown in the status, even right after a reload`()
    async throws
  {
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

  @Test
  func `a stop command during a walk remains in effect when a reload starts another recording`()
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
    // The second session is the next walk, not the remainder of the walk that was stopped.
    let end = try #require(sessions[0].end)
    #expect(sessions[1].start.seconds(since: end) > Self.rest)
  }

  @Test func `a changed lead time takes effect at once without ending the boards' links`()
    async throws
  {
    // In this test the wearer never walks for this long.
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

  @Test
  func `after a stop during a walk, the rest of that walk is not recorded, but the next walk is`()
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
    // The second session is the next walk, not the remainder of the walk that was stopped.
    let end = try #require(sessions[0].end)
    #expect(sessions[1].start.seconds(since: end) > Self.rest)
  }

  @Test func `a pause ends together with the walk, and no pause is possible between walks`()
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

  @Test
  func `a walk stopped before the end of its lead time is not recorded, but the next walk is`()
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

  @Test func `if a session waits for the receiver, this is logged once every five minutes`()
    async throws
  {
    let (daemon, task) = start(receiver: .serial(folder.path + "/gone", speed: nil))
    // After a few seconds, the missing receiver itself is also reported as a fault.
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

  @Test func `if sessions do not wait for the receiver, they are recorded without positions`()
    async throws
  {
    let (daemon, task) = start(receiver: .serial(folder.path + "/gone", speed: nil)) {
      $0.withoutReceiver = .record
    }
    _ = try await session(daemon)
    await stop(daemon, task)
    #expect(try StoreReader(path: store).sessions().count == 1)
  }

  @Test func `a session includes the positions from the last seconds before it was started`()
    async throws
  {
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
