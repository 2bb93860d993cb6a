import ChunkFormat
@testable import Gateway
import LinuxSystem
import Recording
import RingBuffer
import Simulation
import Storage
import TestSupport
import Testing
import Values

/// A recorder that continues an interrupted session.
@Suite(.realTime) struct ContinuedSessionTests {
  private static func board(_ number: UInt64) -> BoardIdentity {
    BoardIdentity(
      address: BoardAddress(value: 0xc84b_aa97_5000 + number), name: "board \(number)",
      model: "MetaMotion S", firmware: "1.7.2")
  }

  private static let stream = StreamDescription(
    signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100, lossAccounting: .counted)

  private let folder: TemporaryFolder
  private let now = BootClock.now()

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A copy of the store's files in the state in which a kill would leave them.
  private var cut: String { folder.path + "/cut" }

  /// One run of a gateway.
  private struct Run: ~Copyable {
    let recorder: RecorderThread
    var readings: RingProducer<Reading>
    var positions: RingProducer<PositionReport>
    let wearer = GaitWearer(seed: 7)
    let start: BootTime
    /// The path of the store in this run.
    let path: String

    /// Pushes a board's samples between two times of the walk, given in hundredths of a second. The
    /// board counts its samples from 0.
    mutating func push(_ hundredths: Range<Int>, of board: UInt16 = 0) {
      for (number, place) in hundredths.enumerated() {
        let second = Double(place) / 100
        let force = wearer.acceleration(at: second) * 4_096
        let isPushed = readings.push(
          Reading(
            board: board, stream: 0, arrival: start.advanced(bySeconds: second),
            counter: UInt32(number), x: Int32(force.x), y: Int32(force.y), z: Int32(force.z)))
        #expect(isPushed)
      }
    }

    mutating func pushFix(at second: Double) {
      let fix = Fix(
        arrival: start.advanced(bySeconds: second),
        utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000 + Int64(second * 1e9)),
        latitude: 50 + 1.5 * second / 111_195, longitude: 14, speed: 1.5)
      let isPushed = positions.push(.fix(fix))
      #expect(isPushed)
    }
  }

  /// Opens a store for the session of a walk that began the given number of seconds ago.
  private func run(
    into path: String, ago seconds: Double = 100, wearer: String = "",
    continuesSessions: Bool = true
  ) async throws -> Run {
    let readings = Ring<Reading>.make(capacity: 1 << 14)
    let positions = Ring<PositionReport>.make(capacity: 1 << 8)
    let recorder = try RecorderThread(
      readings: readings.consumer, positions: positions.consumer, onFirstSample: { _ in },
      onFailure: { _ in })
    let start = now.advanced(bySeconds: -seconds)
    let session = Session(bootID: try BootClock.bootID(), start: start, wearer: wearer)
    _ = try await recorder.open(
      .store(path), for: session, continuesSessions: continuesSessions)
    return Run(
      recorder: recorder, readings: readings.producer, positions: positions.producer,
      start: start, path: path)
  }

  /// Records the first twenty seconds of a walk with the given number of boards. Copies the store
  /// in the state in which a kill would leave it, and returns the session's id.
  private func cutOff(
    boards: Int = 1, ago seconds: Double = 100, pausedAt pause: Double? = nil
  ) async throws -> UniqueID {
    var run = try await run(into: folder.path + "/whole", ago: seconds)
    if let pause { run.recorder.togglePause(at: run.start.advanced(bySeconds: pause)) }
    for board in 0..<boards {
      await run.recorder.addBoard(UInt16(board), Self.board(UInt64(board)), [Self.stream])
    }
    for second in 0..<20 { run.pushFix(at: Double(second)) }
    for board in 0..<boards { run.push(0..<2_000, of: UInt16(board)) }
    let (recorder, path) = (run.recorder, run.path)
    try await wait(for: "the samples in the tail") {
      recorder.liveStatus.boards.flatMap(\.streams).count == boards
        && SessionTail.samples(in: path) == (pause.map { Int($0 * 100) } ?? 2_000) * boards
    }
    _ = try StoreBackup.make(of: path, to: cut) { _, _ in true }
    _ = await recorder.finish()
    return try #require(try StoreReader(path: cut).sessions().first).id
  }

  private func chunks(
    of session: UniqueID, board: UInt64 = 0, in path: String
  ) throws -> [Chunk] {
    let reader = try StoreReader(path: path)
    let stream = try #require(
      try reader.streams(of: session).first { $0.board.address == Self.board(board).address })
    return try reader.chunks(of: stream).map { row in
      let bytes = try reader.bytes(ofChunk: row.id)
      return try Chunk(decoding: bytes.span)
    }
  }

  @Test func `an interrupted session continues, and the samples lost in the gap are counted`()
    async throws
  {
    let id = try await cutOff()
    var run = try await run(into: cut)
    await run.recorder.addBoard(0, Self.board(0), [Self.stream])
    for second in 25..<60 { run.pushFix(at: Double(second)) }
    run.push(2_500..<6_000)
    run.recorder.noteStop(at: run.start.advanced(bySeconds: 60))
    let totals = await run.recorder.finish()
    #expect(totals.session == id)
    #expect(totals.streams.map(\.lost) == [[.interrupted: 500]])
    let reader = try StoreReader(path: cut)
    let session = try #require(try reader.sessions().first)
    #expect(try reader.sessions().map(\.id) == [id] && session.ending == .closed)
    let chunks = try chunks(of: id, in: cut)
    #expect(chunks.map(\.sequence) == Array(0..<UInt32(chunks.count)))
    #expect(chunks.flatMap(\.counters) == Array(0..<2_000) + Array(2_500..<6_000))
    let gaps = chunks.flatMap(\.gaps)
    #expect(gaps.map(\.lost) == [500] && gaps.map(\.reason) == [.interrupted])
    #expect(gaps.map(\.isEstimate) == [true])
    for chunk in chunks {
      for row in 0..<chunk.count {
        let truth = run.start.advanced(bySeconds: Double(chunk.counters[row]) / 100)
        #expect(abs(chunk.time(at: row).seconds(since: truth)) < 0.001)
      }
    }
    let events = try reader.events(of: id)
    #expect(events.map(\.kind) == [.continued])
    #expect(try #require(events.first?.value) >= 0)
    // The path between the fixes before and after the gap is unknown.
    let fixes = try reader.fixes(of: id)
    #expect(fixes.count == 55 && fixes.map(\.followsLoss).firstIndex(of: true) == 20)
    // Steps and distance include the parts before and after the gap.
    let shown = try SessionSummary(of: session, in: cut).statistics
    let distance = try #require(shown.distance)
    #expect(distance > 70 && distance < 92)
    let steps = try #require(shown.steps.first).count
    #expect(steps > 70 && steps < 130, "\(steps)")
    #expect(shown.elapsed > 59)
  }

  @Test func `a session that is interrupted repeatedly remains one session`() async throws {
    let id = try await cutOff()
    var path = cut
    for part in 1...5 {
      var run = try await run(into: path)
      await run.recorder.addBoard(0, Self.board(0), [Self.stream])
      run.push((part * 1_000 + 1_500)..<(part * 1_000 + 2_000))
      let samples = 2_000 + part * 500
      try await wait(for: "the samples in the tail") { SessionTail.samples(in: path) == samples }
      let next = folder.path + "/cut\(part)"
      _ = try StoreBackup.make(of: path, to: next) { _, _ in true }
      _ = await run.recorder.finish()
      path = next
    }
    var run = try await run(into: path)
    await run.recorder.addBoard(0, Self.board(0), [Self.stream])
    run.push(7_500..<8_000)
    run.recorder.noteStop(at: run.start.advanced(bySeconds: 80))
    _ = await run.recorder.finish()
    let sessions = try StoreReader(path: path).sessions()
    #expect(sessions.map(\.id) == [id] && sessions.first?.ending == .closed)
    let chunks = try chunks(of: id, in: path)
    #expect(chunks.flatMap(\.gaps).map(\.lost) == Array(repeating: 500, count: 6))
    #expect(chunks.map(\.count).reduce(0, +) == 5_000)
  }

  @Test func `a board that does not return is counted as missing until the end of the session`()
    async throws
  {
    let id = try await cutOff(boards: 2)
    var run = try await run(into: cut)
    await run.recorder.addBoard(0, Self.board(0), [Self.stream])
    run.push(2_500..<6_000)
    run.recorder.noteStop(at: run.start.advanced(bySeconds: 60))
    _ = await run.recorder.finish()
    let gaps = try chunks(of: id, board: 1, in: cut).flatMap(\.gaps)
    // The gap extends from the board's last sample at 19.99 s to the stop.
    #expect(gaps.reduce(0) { $0 + $1.lost } == 4_001)
    #expect(gaps.allSatisfy { $0.reason == .interrupted })
  }

  @Test func `a board that is still missing after a second interruption is counted once`()
    async throws
  {
    let id = try await cutOff(boards: 2)
    var first = try await run(into: cut)
    await first.recorder.addBoard(0, Self.board(0), [Self.stream])
    first.push(2_500..<6_000)
    try await wait(for: "the samples in the tail") { SessionTail.samples(in: cut) == 7_500 }
    let again = folder.path + "/again"
    _ = try StoreBackup.make(of: cut, to: again) { _, _ in true }
    _ = await first.recorder.finish()
    // This time the session is not continued. It ends with its last data.
    let last = try await run(into: again, continuesSessions: false)
    _ = await last.recorder.finish()
    let session = try #require(try StoreReader(path: again).sessions().first)
    #expect(session.ending == .recovered)
    let end = try #require(session.end)
    let lost = try chunks(of: id, board: 1, in: again).flatMap(\.gaps).reduce(0) { $0 + $1.lost }
    let missing = end.seconds(since: last.start.advanced(bySeconds: 19.99)) * 100
    #expect(abs(Double(lost) - missing) < 3, "\(lost) of \(missing)")
  }

  @Test
  func `if a recording fails before a board is linked, the next one can continue the session`()
    async throws
  {
    let id = try await cutOff()
    _ = await (try await run(into: cut)).recorder.finish()
    var run = try await run(into: cut)
    await run.recorder.addBoard(0, Self.board(0), [Self.stream])
    run.push(2_500..<3_000)
    _ = await run.recorder.finish()
    #expect(try StoreReader(path: cut).sessions().map(\.id) == [id])
  }

  @Test func `a second interruption before the first sample leaves no uncounted gap`() async throws
  {
    let id = try await cutOff()
    let run = try await run(into: cut)
    await run.recorder.addBoard(0, Self.board(0), [Self.stream])
    let again = folder.path + "/again"
    try await wait(for: "the event in the store") {
      try StoreReader(path: cut).events(of: id).contains { $0.kind == .continued }
    }
    _ = try StoreBackup.make(of: cut, to: again) { _, _ in true }
    _ = await run.recorder.finish()
    var last = try await self.run(into: again)
    await last.recorder.addBoard(0, Self.board(0), [Self.stream])
    // The first interruption ended a hundred seconds after the start, and the samples end at 20 s.
    let now = Int(BootClock.now().seconds(since: last.start) * 100)
    last.push(now..<now + 500)
    last.recorder.noteStop(at: last.start.advanced(bySeconds: Double(now + 500) / 100))
    _ = await last.recorder.finish()
    let chunks = try chunks(of: id, in: again)
    let lost = chunks.flatMap(\.gaps).reduce(0) { $0 + $1.lost }
    #expect(abs(Int(lost) - (now - 2_000)) <= 2, "\(lost) of \(now - 2_000)")
    #expect(chunks.flatMap(\.gaps).allSatisfy { $0.reason == .interrupted })
  }

  @Test func `a pause remains in effect after an interruption`() async throws {
    let id = try await cutOff(pausedAt: 15)
    var run = try await run(into: cut)
    await run.recorder.addBoard(0, Self.board(0), [Self.stream])
    run.push(2_500..<3_000)
    run.recorder.togglePause(at: run.start.advanced(bySeconds: 30))
    let totals = await run.recorder.finish()
    #expect(totals.session == id)
    #expect(totals.streams.map(\.received) == [0])
    #expect(totals.streams.map { $0.lost[.paused] } == [500])
    #expect(try chunks(of: id, in: cut).map(\.count).reduce(0, +) == 1_500)
  }

  @Test func `a continued session ends when a second board returns with different settings`()
    async throws
  {
    _ = try await cutOff(boards: 2)
    let run = try await run(into: cut)
    await run.recorder.addBoard(0, Self.board(0), [Self.stream])
    var stream = Self.stream
    stream.rate = 50
    await run.recorder.addBoard(1, Self.board(1), [stream])
    let totals = await run.recorder.finish()
    #expect(
      totals.failure
        == StoreError(
          .refused,
          "the settings of board \(Self.board(1).address) changed during the interruption",
          remedy: "wait: a new session begins automatically"))
  }

  @Test func `a session is not continued with different settings, boards or wearer`()
    async throws
  {
    /// Returns the sessions in the store after another run.
    func sessions(
      ago: Double = 100, wearer: String = "", rate: Double = 100, board: UInt64 = 0,
      continuesSessions: Bool = true
    ) async throws -> [Session] {
      let folder = try TemporaryFolder()
      let copy = folder.path + "/copy"
      _ = try StoreBackup.make(of: cut, to: copy) { _, _ in true }
      var run = try await run(
        into: copy, ago: 10, wearer: wearer, continuesSessions: continuesSessions)
      var stream = Self.stream
      stream.rate = rate
      await run.recorder.addBoard(0, Self.board(board), [stream])
      run.push(0..<500)
      _ = await run.recorder.finish()
      return try StoreReader(path: copy).sessions()
    }
    _ = try await cutOff()
    #expect(try await sessions().map(\.ending) == [.closed])
    for others in [
      try await sessions(wearer: "Ada"), try await sessions(rate: 50),
      try await sessions(board: 9), try await sessions(continuesSessions: false),
    ] { #expect(others.map(\.ending) == [.recovered, .closed]) }
  }
}

/// Counts the samples in a store's only session, including those in its tail.
private enum SessionTail {
  static func samples(in path: String) -> Int? {
    guard let session = try? StoreReader(path: path).sessions().first else { return nil }
    return try? SessionSummary(of: session, in: path).streams.reduce(0) { $0 + $1.samples }
  }
}
