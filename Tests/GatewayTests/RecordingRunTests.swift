import BlueZ
import BoardDriver
import DBus
import Gateway
import LinuxSystem
import Positioning
import Recording
import Simulation
import Storage
import TestSupport
import Testing
import Values

@Suite(.simulatedTime) struct RecordingRunTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path + "/store.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func plan(
    _ world: SimulatedWorld, boards: RecordingPlan.Boards, seconds: Double? = nil,
    scanSeconds: Double = 15
  ) -> RecordingPlan {
    RecordingPlan(
      bus: world.bus, boards: boards,
      receiver: world.receiverPath.map { .serial($0, speed: nil) }, store: store,
      seconds: seconds, scanSeconds: scanSeconds)
  }

  /// Expects the store to contain all samples that a board sent.
  private func checkAllStored(
    _ streams: [RecorderTotals.Stream], _ counts: BoardCounts,
    at place: SourceLocation = #_sourceLocation
  ) {
    #expect(counts.samples == streams.reduce(0) { $0 + $1.stored }, sourceLocation: place)
    #expect(streams.allSatisfy { $0.duplicates == 0 && $0.lost.isEmpty }, sourceLocation: place)
  }

  @Test func `the store contains every sample that two boards sent`() async throws {
    let world = try SimulatedWorld(boards: 2)
    let run = try RecordingRun(
      plan(world, boards: .any(count: 2), seconds: 2), log: { _ in })
    let report = try await run.run()
    #expect(report.failure == nil)
    try #require(report.boards.map(\.identity.model) == ["MetaMotion S", "MetaMotion S"])
    for (index, counts) in world.boardCounts.enumerated() {
      #expect(counts.complaints.isEmpty)
      #expect(counts.samples > 200)
      let packets = report.boards[index].packets.notifications
      #expect(packets + counts.dropped == Int(counts.notifications))
      checkAllStored(report.totals.streams.filter { $0.board == UInt16(index) }, counts)
    }
    let reader = try StoreReader(path: store)
    let sessions = try reader.sessions()
    #expect(sessions.map(\.id) == [report.session])
    #expect(sessions.first?.end != nil)
    let stored = try reader.streams(of: report.session).count
    #expect(stored == 4)
  }

  @Test func `a missing board is reported, and nothing is recorded`() async throws {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    let missing = try #require(BoardAddress("C0:00:00:00:00:01"))
    let run = try RecordingRun(
      plan(world, boards: .addresses([missing]), scanSeconds: 1), log: { _ in })
    let report = try await run.run()
    let error = try #require(report.failure as? BlueZError)
    #expect(error.kind == .boardNotFound)
    #expect(error.message == "did not find C0:00:00:00:00:01")
    #expect(report.totals.streams.isEmpty)
    let reader = try StoreReader(path: store)
    let sessions = try reader.sessions()
    #expect(sessions.isEmpty)
  }

  @Test func `a recording that needs more boards than are available fails`() async throws {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    var plan = plan(world, boards: .any(count: 2), scanSeconds: 1)
    plan.requiresAll = true
    let run = try RecordingRun(plan, log: { _ in })
    let error = try #require(try await run.run().failure as? BlueZError)
    #expect(error.kind == .boardNotFound)
    #expect(error.message == "found 1 of 2 boards in 1 s")
    #expect(error.remedy.hasPrefix("wake the board"))
  }

  @Test
  func `a full disk prevents a recording before any board is contacted, and leaves no session`()
    async throws
  {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    try Store.open(path: store).close()
    try StoreEditor(path: store).set(SpacePolicy(floor: 1 << 60))
    let run = try RecordingRun(plan(world, boards: .any(count: 1)), log: { _ in })
    let error = await #expect(throws: StoreError.self) { try await run.run() }
    #expect(error?.kind == .full)
    #expect(world.boardCounts.first?.notifications ?? 0 == 0)
    let reader = try StoreReader(path: store)
    let sessions = try reader.sessions()
    #expect(sessions.isEmpty)
  }

  @Test func `if all boards are required and one is missing, no empty session is left`()
    async throws
  {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    let missing = try #require(BoardAddress("C0:00:00:00:00:01"))
    let boards = RecordingPlan.Boards.addresses([world.boards[0].address, missing])
    var plan = plan(world, boards: boards, scanSeconds: 2)
    plan.requiresAll = true
    let run = try RecordingRun(plan, log: { _ in })
    let error = try #require(try await run.run().failure as? BlueZError)
    #expect(error.message == "did not find C0:00:00:00:00:01")
    let reader = try StoreReader(path: store)
    let sessions = try reader.sessions()
    #expect(sessions.isEmpty)
  }

  @Test func `a recording fails if none of its boards is found`() async throws {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    let missing = try ["C0:00:00:00:00:01", "C0:00:00:00:00:02"].map {
      try #require(BoardAddress($0))
    }
    let run = try RecordingRun(
      plan(world, boards: .addresses(missing), scanSeconds: 1), log: { _ in })
    let error = try #require(try await run.run().failure as? BlueZError)
    #expect(error.kind == .boardNotFound)
  }

  @Test(arguments: [true, false])
  func `a recording starts with the boards that are in range`(isNamed: Bool) async throws {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    let missing = try #require(BoardAddress("C0:00:00:00:00:01"))
    let boards: RecordingPlan.Boards =
      isNamed ? .addresses([missing, world.boards[0].address]) : .any(count: 2)
    let warnings = Guarded<[String]>([])
    let run = try RecordingRun(plan(world, boards: boards, seconds: 1, scanSeconds: 8)) { remark in
      guard remark.event == "board missing" else { return }
      warnings.withLock { $0 += remark.details.filter { $0.name == "reason" }.map(\.value) }
    }
    let report = try await run.run()
    #expect(report.failure == nil)
    #expect(report.boards.map(\.identity.address) == [world.boards[0].address])
    checkAllStored(report.totals.streams, world.boardCounts[0])
    let warning = isNamed ? "did not find \(missing)" : "found 1 of 2 boards in 8 s"
    #expect(warnings.withLock { $0.map { $0 } } == [warning])
    let reader = try StoreReader(path: store)
    let events = try reader.events(of: report.session).filter { $0.kind == .missing }
    #expect(events.map(\.board) == [isNamed ? missing : nil])
    #expect(events.map(\.text) == [warning])
  }

  @Test func `a missing board joins the recording when it appears`() async throws {
    let world = try SimulatedWorld(boards: 2, hasReceiver: false)
    let late = world.boards[1].address
    world.inject(.heldByAnotherCentral(), board: 1)
    let boards = RecordingPlan.Boards.addresses(world.boards.map(\.address))
    let isMissing = Guarded(false)
    let run = try RecordingRun(plan(world, boards: boards, scanSeconds: 8)) { remark in
      if remark.event == "board missing" { isMissing.withLock { $0 = true } }
    }
    async let ending = run.run()
    try await wait(for: "the board is missing") { isMissing.withLock { $0 } }
    world.inject(.heldByAnotherCentral(seconds: 0), board: 1)
    try await wait(for: "samples of the late board") {
      run.liveStatus.boards.contains { board in
        board.identity.address == late && board.streams.contains { $0.received > 50 }
      }
    }
    run.stop()
    let report = try await ending
    #expect(report.failure == nil)
    for (index, counts) in world.boardCounts.enumerated() {
      checkAllStored(report.totals.streams.filter { $0.board == UInt16(index) }, counts)
    }
    let reader = try StoreReader(path: store)
    let events = try reader.events(of: report.session).filter { $0.board == late }
    #expect(events.prefix(2).map(\.kind) == [.missing, .settings])
  }

  @Test func `a board's battery charge is stored even if bluetoothd reports it late`()
    async throws
  {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    let run = try RecordingRun(plan(world, boards: .any(count: 1), seconds: 1), log: { _ in })
    let report = try await run.run()
    #expect(report.failure == nil)
    let reader = try StoreReader(path: store)
    let events = try reader.events(of: report.session)
    #expect(events.filter { $0.kind == .battery }.map(\.value) == [99])
  }

  @Test func `the first samples of all streams arrive within 0.4 seconds of each other`()
    async throws
  {
    let world = try SimulatedWorld(boards: 3, hasReceiver: false)
    let run = try RecordingRun(
      plan(world, boards: .any(count: 3), seconds: 0.5), log: { _ in })
    let report = try await run.run()
    #expect(report.failure == nil)
    let starts = report.totals.streams.compactMap(\.firstSample)
    #expect(starts.count == 6)
    let first = try #require(starts.min())
    let last = try #require(starts.max())
    #expect(last.seconds(since: first) < 0.4)
  }

  @Test func `a missing receiver is reported with a remedy`() async throws {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    let warned = Guarded<[String: String]>([:])
    var plan = plan(world, boards: .any(count: 1), seconds: 1)
    plan.settings.receiver = .serial(folder.path + "/nothing", speed: nil)
    let run = try RecordingRun(plan) { remark in
      guard remark.severity == .warning, remark.event == "no GPS receiver" else { return }
      warned.withLock { warned in
        for detail in remark.details { warned[detail.name] = detail.value }
      }
    }
    let report = try await run.run()
    #expect(report.failure == nil)
    let told = warned.withLock { $0 }
    #expect(told["device"] == folder.path + "/nothing")
    #expect(told["reason"] == "No such file or directory")
    #expect(told["remedy"]?.hasPrefix("plug the receiver in") == true)
  }

  @Test func `each state of the receiver is logged, and is stored with the session`() async throws {
    let world = try SimulatedWorld(boards: 1, hasReceiver: true)
    let told = Guarded<[String]>([])
    let run = try RecordingRun(plan(world, boards: .any(count: 1), seconds: 3)) { remark in
      guard remark.event == "GPS receiver" else { return }
      let state = remark.details.first { $0.name == "state" }?.value ?? ""
      told.withLock { $0.append(state) }
    }
    let report = try await run.run()
    #expect(report.failure == nil)
    let reader = try StoreReader(path: store)
    let events = try reader.events(of: report.session).filter { $0.kind == .receiver }
    #expect(events.map(\.text) == told.withLock { $0 })
    #expect(events.map(\.text).prefix(2) == ["searching", "3D fix"])
    let clock = try reader.clockEntries(of: report.session)
    #expect(clock.contains { $0.source == .satellites })
  }

  @Test func `a fixed position gives a recording its location but no date`() async throws {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    var plan = plan(world, boards: .any(count: 1), seconds: 2)
    plan.settings.receiver = .fixed(.init(latitude: 53.168, longitude: 9.94))
    let report = try await RecordingRun(plan) { _ in }.run()
    #expect(report.failure == nil)
    let reader = try StoreReader(path: store)
    let fixes = try reader.fixes(of: report.session, from: 0, limit: 10)
    #expect(fixes.count >= 2)
    #expect(fixes.allSatisfy { $0.latitude == 53.168 && $0.quality == .manual })
    let clock = try reader.clockEntries(of: report.session)
    #expect(!clock.isEmpty && clock.allSatisfy { $0.source != .satellites })
    let events = try reader.events(of: report.session)
    #expect(events.contains { $0.kind == .receiver && $0.text == "fixed position" })
  }

  @Test func `stopping during the search for boards ends the recording without a failure`()
    async throws
  {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    let (scanning, post) = AsyncStream<Void>.makeStream()
    let run = try RecordingRun(
      plan(world, boards: .any(count: 9), scanSeconds: 3_600),
      log: { if $0.event == "scanning" { post.yield(()) } })
    let report = Task { try await run.run() }
    for await _ in scanning { break }
    run.stop()
    let ended = try await report.value
    #expect(ended.failure == nil)
    #expect(ended.boards.isEmpty)
  }

  @Test func `a second recorder for the same store is rejected before it contacts any board`()
    async throws
  {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    let holder = try Store.open(path: store)
    let run = try RecordingRun(plan(world, boards: .any(count: 1)), log: { _ in })
    let error = await #expect(throws: StoreError.self) { try await run.run() }
    #expect(error?.kind == .locked)
    #expect(world.boardCounts.first?.notifications ?? 0 == 0)
    try holder.close()
  }

  @Test func `a lost link is replaced, and missing samples are counted with a reason`()
    async throws
  {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    let told = Guarded<[String]>([])
    let run = try RecordingRun(plan(world, boards: .any(count: 1))) { remark in
      told.withLock { $0.append(remark.event) }
    }
    let report = Task { try await run.run() }
    try await wait(for: "samples") {
      run.liveStatus.boards.first?.streams.first?.received ?? 0 >= 50
    }
    world.inject(.disconnect, into: 0)
    // The second link restarts the board's numbering, so one second of the board's samples is
    // enough.
    try await wait(for: "the board resumes") { told.withLock { $0.contains("resumed") } }
    let received = run.liveStatus.boards.first?.streams.first?.received ?? 0
    try await wait(for: "samples of the second link") {
      run.liveStatus.boards.first?.streams.first?.received ?? 0 >= received + 100
    }
    run.stop()
    let ended = try await report.value
    #expect(ended.failure == nil)
    #expect(ended.boards.first?.lostLinks == 1)
    for stream in ended.totals.streams {
      #expect(stream.duplicates == 0)
      #expect(stream.stored == stream.received)
      // At least half a second passes before the board is linked and set up again.
      #expect(stream.lost[.disconnected] ?? 0 > 30)
      // While the link is down, the board does not count its samples.
      #expect(stream.lossCertainty != .counted)
      #expect(stream.estimatedLoss >= stream.lost[.disconnected] ?? 0)
    }
    let events = told.withLock { $0 }
    #expect(events.filter { ["link lost", "resumed"].contains($0) } == ["link lost", "resumed"])
    #expect(events.filter { $0 == "stream" }.count == 2)
    #expect(world.boardCounts.first?.complaints == [])
  }

  // This test uses a real bus, because a simulated one cannot be ended.
  @Test(.realTime) func `if the bus is lost during a recording, the earlier samples are stored`()
    async throws
  {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    let run = try RecordingRun(plan(world, boards: .any(count: 1)), log: { _ in })
    let report = Task { try await run.run() }
    try await wait(for: "samples") {
      run.liveStatus.boards.first?.streams.first?.received ?? 0 >= 50
    }
    world.stop()
    let ended = try await report.value
    #expect(ended.failure != nil)
    #expect(ended.totals.failure == nil)
    let stored = ended.totals.streams.reduce(0) { $0 + $1.stored }
    #expect(stored >= 50)
    #expect(stored == ended.totals.streams.reduce(0) { $0 + $1.received })
  }
}
