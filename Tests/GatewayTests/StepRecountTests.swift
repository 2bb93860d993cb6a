@testable import Gateway
import LinuxSystem
import Recording
import RingBuffer
import Simulation
import Storage
import TestSupport
import Testing
import Values

/// A corrected placement makes the gateway recount a board's steps from its chunks.
@Suite(.computation) struct StepRecountTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/store" }
  private static let board = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
    firmware: "1.7.2")
  private static let stream = StreamDescription(
    signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100, lossAccounting: .counted)
  private static let seconds = 40
  private static let session = Session(
    id: UniqueID(high: 5, low: 5), bootID: UniqueID(high: 2, low: 2),
    start: BootTime(nanoseconds: 60_000_000_000))

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A walk, as measured by a board above the ankle.
  private static let counts: [SIMD3<Int32>] = {
    let wearer = GaitWearer(seed: 7)
    return (0..<seconds * 100).map { number in
      let value = wearer.acceleration(at: Double(number) / 100) * 4_096
      return SIMD3(Int32(value.x), Int32(value.y), Int32(value.z))
    }
  }()

  private static func arrival(_ number: Int) -> BootTime {
    session.start.advanced(bySeconds: Double(number) / 100)
  }

  /// Records the walk, except for the chunks with these numbers.
  private func record(without missing: Set<Int> = []) throws {
    var store = try Store.open(path: path)
    try store.begin(Self.session)
    try store.add(Self.board, [Self.stream], session: Self.session.id)
    let size = 1_000
    let chunks = (0..<Self.counts.count / size).map { sequence in
      let numbers = sequence * size..<(sequence + 1) * size
      return Chunk(
        id: .random(), session: Self.session.id, bootID: Self.session.bootID, board: Self.board,
        stream: Self.stream, sequence: UInt32(sequence),
        clock: Chunk.Clock(first: Self.arrival(numbers.lowerBound), period: 10_000_000),
        counters: numbers.map { UInt32($0) }, arrivals: numbers.map(Self.arrival),
        columns: (0..<3).map { axis in numbers.map { Self.counts[$0][axis] } }, gaps: [], fixes: [])
    }
    try store.commit(
      chunks: chunks.filter { !missing.contains(Int($0.sequence)) }, fixes: [], clock: [])
    try store.end(
      session: Self.session.id, at: Self.session.start.advanced(bySeconds: Double(Self.seconds)))
    try store.close()
  }

  /// Returns the statistics of the session after its board was moved to this placement. No recorder
  /// has counted its steps.
  private func statistics(worn placement: String) throws -> SessionStatistics {
    try StoreEditor(path: path).edit(
      Self.session.id, [.placement(of: Self.board.address, placement)], at: Self.session.start,
      utc: UTCTime(nanoseconds: 0))
    return try SessionSummary(of: Self.session, in: path).statistics
  }

  private func recount(
    _ statistics: SessionStatistics, from former: String, to present: String
  ) throws -> StepRecount {
    try StepRecount(
      statistics, of: Self.session.id, in: StoreReader(path: path),
      from: [Self.board.address: former], to: [Self.board.address: present])
  }

  @Test func `a corrected placement changes the step count`()
    throws
  {
    try record()
    let leg = try statistics(worn: "left ankle")
    let trunk = try statistics(worn: "hip")
    try #require(leg.steps.count == 1 && leg.steps[0].count > 60)
    try #require(trunk.steps[0].count != leg.steps[0].count)
    let there = try recount(leg, from: "left ankle", to: "hip")
    #expect(there.steps.map(\.count) == trunk.steps.map(\.count))
    #expect(there.uncounted == [])
    #expect(leg.with(there.steps).steps.map(\.count) == trunk.steps.map(\.count))
    #expect(
      try recount(trunk, from: "hip", to: "").steps.map(\.count) == leg.steps.map(\.count))
    // Moving a board from one leg to the other changes nothing, and neither does moving a board
    // that counts steps itself.
    #expect(try recount(leg, from: "left ankle", to: "right knee").steps == [])
    var own = leg
    own.steps[0].source = .board
    #expect(try recount(own, from: "left ankle", to: "hip").steps == [])
  }

  @Test func `if a chunk is missing, the step counts stay unchanged`() throws {
    try record(without: [1])
    let statistics = try statistics(worn: "left ankle")
    let found = try recount(statistics, from: "left ankle", to: "hip")
    #expect(found.steps == [])
    #expect(found.uncounted == [Self.board.address])
  }

  @Test(.realTime)
  func `a placement corrected during the recording takes effect at the end`() async throws {
    let leg = try await recordLive("left ankle", editedTo: nil)
    let trunk = try await recordLive("hip", editedTo: nil)
    try #require(leg != trunk)
    #expect(try await recordLive("left ankle", editedTo: "hip") == trunk)
    #expect(try await recordLive("hip", editedTo: "left ankle") == leg)
  }

  /// Records the walk, and returns the recorder's step counts.
  private func recordLive(_ placement: String, editedTo other: String?) async throws -> [Int] {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/store"
    try BoardRegister(path: path).remember(
      StoredBoard(
        address: Self.board.address, name: "left", placement: placement, model: "", firmware: "",
        added: UTCTime(nanoseconds: 0)))
    let readings = Ring<Reading>.make(capacity: 1 << 13)
    let positions = Ring<PositionReport>.make(capacity: 1 << 4)
    let recorder = try RecorderThread(
      readings: readings.consumer, positions: positions.consumer, onFirstSample: { _ in },
      onFailure: { _ in })
    let session = Session(bootID: try BootClock.bootID(), start: BootClock.now())
    _ = try await recorder.open(
      .store(path), for: session, placements: [Self.board.address: placement])
    await recorder.addBoard(0, Self.board, [Self.stream])
    var producer = readings.producer
    for (number, value) in Self.counts.enumerated() {
      let pushed = producer.push(
        Reading(
          board: 0, stream: 0, arrival: session.start.advanced(bySeconds: Double(number) / 100),
          counter: UInt32(number), x: value.x, y: value.y, z: value.z))
      try #require(pushed)
    }
    if let other {
      try StoreEditor(path: path).edit(
        session.id, [.placement(of: Self.board.address, other)], at: BootClock.now(),
        utc: BootClock.systemTime())
    }
    recorder.bell.ring()
    let totals = await recorder.finish()
    #expect(totals.failure == nil)
    return try StoreReader(path: path).statistics(of: session.id)?.steps.map(\.count) ?? []
  }
}
