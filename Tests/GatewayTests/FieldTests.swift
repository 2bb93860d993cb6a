import BlueZ
import BoardDriver
import DBus
import Gateway
import LinuxSystem
import Recording
import Simulation
import TestSupport
import Testing
import Values

/// Recordings during faults that occur in the field. At the end of each recording, every sample
/// must be accounted for.
@Suite(.simulatedTime) struct FieldTests {
  // MARK: The daemon

  @Test(arguments: [false, true])
  func `bluetoothd restart: samples arrive within ten seconds, whether or not the links survive`(
    _ keepsLinks: Bool
  ) async throws {
    let recording = try FieldRecording(FieldRecording.world(boards: 2), boards: [0, 1])
    try await recording.stream()
    recording.world.inject(.daemonGone(seconds: 1, keepsLinks: keepsLinks))
    try await recording.told(ofRadio: "bluetoothd is back")
    let returned = GivenTime.now
    for board in 0..<2 { try await recording.told("resumed", of: board) }
    #expect(GivenTime.now.seconds(since: returned) < 10)
    try await recording.stream()
    let report = try await recording.finish()
    #expect(report.boards.map(\.lostLinks) == [1, 1])
    for stream in report.totals.streams {
      #expect(stream.lost[.disconnected] ?? 0 > 80, "a second without the daemon is lost")
      #expect(stream.lost.keys.allSatisfy { $0 == .disconnected })
    }
  }

  @Test
  func `AcquireNotify never answers: the recording continues with signals, even after a link loss`()
    async throws
  {
    let world = try FieldRecording.world { $0.version = .v5_66 }
    world.inject(.noReply(.acquireNotify))
    let recording = try FieldRecording(world)
    try await recording.stream()
    world.inject(.disconnect, into: 0)
    try await recording.told("resumed")
    try await recording.stream()
    let report = try await recording.finish()
    #expect(recording.details("notifications", of: "connected") == ["signals", "signals"])
    #expect(recording.count("notifications by signals", of: 0) == 1)
    #expect(report.boards.map(\.lostLinks) == [1])
  }

  @Test
  func `AcquireNotify never answers: the recording survives a daemon crash on device removal`()
    async throws
  {
    let world = try FieldRecording.world { $0.version = .v5_66 }
    let recording = try FieldRecording(world)
    try await recording.stream()
    world.inject(.noReply(.acquireNotify))
    world.inject(.crashAtRemoveDevice(seconds: 0.5))
    world.inject(.disconnect, into: 0)
    try await recording.told("resumed")
    try await recording.stream()
    _ = try await recording.finish()
    #expect(recording.events.contains("bluetoothd is gone"))
    #expect(recording.details("notifications", of: "connected") == ["descriptor", "signals"])
  }

  @Test func `StopNotify and Disconnect hang on a dead link: the recording still ends`()
    async throws
  {
    let recording = try FieldRecording(FieldRecording.world())
    try await recording.stream()
    recording.world.inject(.slowDisconnect(seconds: 600))
    recording.world.inject(.slowStopNotify(seconds: 600))
    let asked = GivenTime.now
    _ = try await recording.finish()
    #expect(GivenTime.now.seconds(since: asked) < 15)
  }

  @Test
  func `changed GATT table after firmware update: the recording continues after device removal`()
    async throws
  {
    let recording = try FieldRecording(FieldRecording.world())
    try await recording.stream()
    recording.world.inject(.missingObjects(times: nil))
    recording.world.inject(.disconnect, into: 0)
    try await recording.told("resumed")
    try await recording.stream()
    _ = try await recording.finish()
    #expect(recording.count("attributes are incomplete", of: 0) == 1)
    // On a busy machine, an attempt may also fail in a different way, which is logged.
    let ends = [
      "connected", "attributes are incomplete", "connect failed", "connect postponed",
      "link not kept",
    ].reduce(0) { $0 + recording.count($1, of: 0) }
    // For a link that the daemon already holds, the log contains an outcome without an attempt by
    // the radio.
    #expect(recording.count("connecting", of: 0) <= ends, "no attempt is made and called off")
  }

  // MARK: Adapters

  @Test func `USB adapter replug, new hciN: the recording continues on the same adapter`()
    async throws
  {
    let recording = try FieldRecording(FieldRecording.world())
    try await recording.stream()
    recording.world.inject(.adapterRemoved)
    try await recording.told(ofRadio: "adapter is gone")
    recording.world.inject(.adapterReturned(shift: 1))
    try await recording.told("resumed")
    try await recording.stream()
    let report = try await recording.finish()
    #expect(recording.details("adapter", of: "connected") == ["hci0", "hci1"])
    #expect(report.boards.map(\.lostLinks) == [1])
  }

  @Test(arguments: [false, true])
  func `rfkill or powered off by user: the recording continues once the adapter is on`(
    _ isBlocked: Bool
  ) async throws {
    let recording = try FieldRecording(FieldRecording.world())
    try await recording.stream()
    recording.world.inject(isBlocked ? .adapterBlocked : .adapterOff)
    try await recording.told("link lost")
    try await recording.told(ofRadio: isBlocked ? "adapter is blocked" : "adapter is off")
    // This is long enough for the immediate attempts and the first delayed one.
    let wasTold = recording.remarks.count
    try await Pause.seconds(3)
    let tried = recording.remarks.dropFirst(wasTold).map(\.event)
    #expect(tried == [], "nothing is tried while the adapter is off")
    // The adapter is powered on again after it is unblocked.
    recording.world.inject(isBlocked ? .adapterUnblocked : .adapterOn)
    try await recording.told("resumed")
    try await recording.stream()
    let report = try await recording.finish()
    #expect(report.boards.map(\.lostLinks) == [1])
    #expect(recording.events.filter { $0 == "connecting" }.count <= 3)
    for stream in report.totals.streams {
      #expect(stream.lost[.disconnected] ?? 0 > 250)
    }
  }

  @Test func `several adapters: the boards of a lost adapter move to the other`() async throws {
    let recording = try FieldRecording(
      FieldRecording.world(boards: 4, adapters: 2), boards: [0, 1, 2, 3])
    try await recording.stream()
    let used = recording.details("adapter", of: "connected")
    #expect(used.sorted() == ["hci0", "hci0", "hci1", "hci1"])
    recording.world.inject(.adapterRemoved, adapter: 0)
    try await wait(for: "both boards resume") {
      recording.events.count { $0 == "resumed" } >= 2
    }
    try await recording.stream()
    let report = try await recording.finish()
    #expect(recording.details("adapter", of: "connected").suffix(2) == ["hci1", "hci1"])
    #expect(report.boards.map(\.lostLinks).reduce(0, +) == 2)
  }

  @Test func `several adapters: each of two recordings uses the adapter chosen by address`()
    async throws
  {
    let world = try FieldRecording.world(boards: 2, adapters: 2)
    let first = try FieldRecording(world, boards: [0], adapters: [1])
    let second = try FieldRecording(world, boards: [1], adapters: [0])
    try await first.stream()
    try await second.stream()
    _ = try await first.finish()
    _ = try await second.finish()
    #expect(first.details("adapter", of: "connected") == ["hci1"])
    #expect(second.details("adapter", of: "connected") == ["hci0"])
  }

  // MARK: Boards

  @Test func `connect fails often: a lost board is linked again after three aborted attempts`()
    async throws
  {
    let recording = try FieldRecording(FieldRecording.world())
    try await recording.stream()
    recording.world.inject(.connectAborts(count: 3))
    recording.world.inject(.disconnect, into: 0)
    try await recording.told("resumed")
    try await recording.stream()
    _ = try await recording.finish()
    let reasons = recording.details("reason", of: "connect failed")
    #expect(reasons.contains("le-connection-abort-by-local"))
  }

  @Test func `connecting a board disturbs others: a delayed stream does not count as silent`()
    async throws
  {
    let recording = try FieldRecording(FieldRecording.world(boards: 2), boards: [0, 1])
    try await recording.stream()
    // The other board's packets are delayed for longer than the silence limit.
    recording.world.inject(.disconnect, into: 1)
    recording.world.inject(.delay(seconds: 2.2), into: 0)
    try await recording.told("resumed", of: 1)
    try await recording.stream(100, boards: [0])
    let report = try await recording.finish()
    let silences = recording.events.filter { $0.contains("no data") }
    #expect(silences.isEmpty)
    for stream in report.totals.streams where stream.board == 0 { #expect(stream.lost.isEmpty) }
    #expect(recording.count("link lost", of: 0) == 0)
  }

  @Test func `two gateways on one adapter: the second is refused, and the first keeps recording`()
    async throws
  {
    let first = try FieldRecording(FieldRecording.world())
    try await first.stream()
    let second = try FieldRecording(first.world)
    let refused = try await second.end()
    let error = try #require(refused.failure as? BlueZError)
    #expect(error.kind == .held)
    #expect(error.message.contains("another program on this computer uses"))
    #expect(error.remedy == "stop the other program, or use another board")
    try await first.stream()
    let report = try await first.finish()
    #expect(report.boards.map(\.lostLinks) == [0])
  }

  @Test
  func `a board connected to another gateway does not delay other boards, and joins later`()
    async throws
  {
    let world = try FieldRecording.world(boards: 2)
    let first = try FieldRecording(world, boards: [0])
    try await first.stream(boards: [0])
    let second = try FieldRecording(world, boards: [0, 1])
    try await second.stream(boards: [1])
    #expect(second.count("board missing", of: 0) == 1)
    _ = try await first.finish()
    try await second.stream(boards: [0, 1])
    let report = try await second.stop()
    #expect(report.failure == nil)
    #expect(Set(report.totals.streams.filter { $0.stored > 0 }.map(\.board)) == [0, 1])
  }

  @Test func `two gateways on one adapter: each gateway records every sample of its own board`()
    async throws
  {
    let world = try FieldRecording.world(boards: 2)
    let first = try FieldRecording(world, boards: [0])
    let second = try FieldRecording(world, boards: [1])
    try await first.stream()
    try await second.stream()
    let reports = [try await first.finish(), try await second.finish()]
    for (report, place) in zip(reports, 0...) where world.boardCounts[place].dropped == 0 {
      #expect(report.totals.streams.allSatisfy { $0.lost.isEmpty })
    }
  }

  @Test
  func `if another central takes a board, the recording continues when the board returns`()
    async throws
  {
    let recording = try FieldRecording(FieldRecording.world())
    try await recording.stream()
    recording.world.inject(.heldByAnotherCentral(seconds: 2))
    try await recording.told("resumed")
    try await recording.stream()
    let report = try await recording.finish()
    #expect(report.boards.map(\.lostLinks) == [1])
  }

  @Test func `a board that requires bonding is rejected, and the error suggests a remedy`()
    async throws
  {
    let world = try FieldRecording.world()
    world.inject(.demandsBonding)
    let refused = try await FieldRecording(world).end()
    let error = try #require(refused.failure as? BlueZError)
    #expect(error.kind == .notPaired)
    #expect(error.remedy.hasPrefix("pair it with 'footbridge pair C8:"))
  }
}
