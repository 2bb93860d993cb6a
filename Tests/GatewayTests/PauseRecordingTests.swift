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

/// The samples that are stored if a recording is paused.
@Suite(.realTime) struct PauseRecordingTests {
  private static let board = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
    firmware: "1.7.2")
  private static let streams = [
    StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100, lossAccounting: .counted),
    StreamDescription(
      signal: "steps", unit: "steps", axes: ["count"], countsPerUnit: 1, rate: 1,
      lossAccounting: .estimated),
  ]
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/store" }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Records a minute of a walk, and pauses or resumes the recording at these times, in seconds.
  /// Every packet arrives at the time of its sample. Returns the recorder's totals and its session.
  private func record(
    toggling seconds: [Double]
  ) async throws -> (totals: RecorderTotals, session: Session) {
    let readings = Ring<Reading>.make(capacity: 1 << 14)
    let positions = Ring<PositionReport>.make(capacity: 1 << 8)
    let recorder = try RecorderThread(
      readings: readings.consumer, positions: positions.consumer, onFirstSample: { _ in },
      onFailure: { _ in })
    let now = BootClock.pair()
    let session = Session(bootID: try BootClock.bootID(), start: now.boot)
    _ = try await recorder.open(.store(path), for: session)
    // The recorder serves requests in order and has answered this one. It has therefore processed
    // the pauses before it sees the packets.
    for second in seconds { recorder.togglePause(at: session.start.advanced(bySeconds: second)) }
    await recorder.addBoard(0, Self.board, Self.streams)
    let wearer = GaitWearer(seed: 7)
    var producer = readings.producer
    var fixes = positions.producer
    for number in 0..<6_000 {
      let second = Double(number) / 100
      let arrival = session.start.advanced(bySeconds: second)
      let force = wearer.acceleration(at: second) * 4_096
      var isPushed = producer.push(
        Reading(
          board: 0, stream: 0, arrival: arrival, counter: UInt32(number), x: Int32(force.x),
          y: Int32(force.y), z: Int32(force.z)))
      if number % 100 == 0 {
        // The wearer takes two steps per second and moves at 1.5 m per second.
        isPushed =
          producer.push(
            Reading(
              board: 0, stream: 1, arrival: arrival, counter: UInt32(number / 100),
              x: Int32(number / 50))) && isPushed
        let fix = Fix(
          arrival: arrival, utc: UTCTime(nanoseconds: now.utc.nanoseconds + Int64(second * 1e9)),
          latitude: 50 + 1.5 * second / 111_195, longitude: 14, speed: 1.5)
        isPushed = fixes.push(.fix(fix)) && isPushed
      }
      #expect(isPushed)
    }
    return (await recorder.finish(), session)
  }

  @Test
  func `samples and positions from a pause are not stored, and the samples are counted as lost`()
    async throws
  {
    let (totals, session) = try await record(toggling: [20, 40.004, 59.999])
    #expect(totals.streams.map(\.lost) == [[.paused: 2_001], [.paused: 21]])
    #expect(totals.streams.map(\.received) == [3_999, 39])
    #expect(totals.streams.map(\.stored) == [3_999, 39])
    #expect(totals.streams.map(\.estimatedLoss) == [0, 0])
    let reader = try StoreReader(path: path)
    let stream = try #require(
      try reader.streams(of: session.id).first { $0.description.signal == "acceleration" })
    var chunks: [Chunk] = []
    for row in try reader.chunks(of: stream) {
      let bytes = try reader.bytes(ofChunk: row.id)
      chunks.append(try Chunk(decoding: bytes.span))
    }
    #expect(chunks.flatMap(\.counters) == Array(0..<2_000) + Array(4_001..<6_000))
    let gaps = chunks.flatMap(\.gaps)
    #expect(gaps.map(\.reason) == [.paused] && gaps.map(\.lost) == [2_001])
    // Arrival times are stored in whole microseconds.
    let seconds = gaps.flatMap { [$0.start, $0.end] }.map { $0.seconds(since: session.start) }
    #expect(abs(seconds[0] - 19.99) < 1e-5 && abs(seconds[1] - 40.01) < 1e-5)
    let fixes = try reader.fixes(of: session.id)
    #expect(
      fixes.map { Int($0.arrival.seconds(since: session.start)) } == Array(0..<20)
        + Array(41..<60))
    #expect(fixes.filter(\.followsLoss).map { $0.arrival == fixes[20].arrival } == [true])
    let events = try reader.events(of: session.id)
    #expect(events.map(\.kind) == [.paused, .resumed, .paused])
    let shown = try SessionSummary(of: session, in: path)
    #expect(shown.streams.map(\.lostCount).sorted() == [21, 2_001])
  }

  @Test
  func `steps and distance during a pause are counted neither live nor in the stored session`()
    async throws
  {
    let (_, session) = try await record(toggling: [20.5, 40.5])
    let stored = try #require(try StoreReader(path: path).sessions().first)
    let statistics = try SessionSummary(of: stored, in: path).statistics
    let steps = try #require(statistics.steps.first)
    // According to the board's step counter, from 0 to 40 and from 82 to 118.
    #expect(steps.source == .board && steps.count == 40 + 36)
    let distance = try #require(statistics.distance)
    #expect(abs(distance - 1.5 * (20 + 18)) < 0.01)
    // Steps counted in the stored samples have the same total, whatever the placement.
    try StoreEditor(path: path).edit(
      session.id, [.placement(of: Self.board.address, "right ankle")], at: session.start,
      utc: UTCTime(nanoseconds: 0))
    let again = try SessionSummary(of: stored, in: path).statistics
    #expect(again.steps.first?.count == steps.count)
    #expect(again.distance == statistics.distance)
  }

  @Test func `a session that is paused from start to end is kept, and all its samples are losses`()
    async throws
  {
    let (totals, session) = try await record(toggling: [0])
    #expect(totals.streams.map(\.lost) == [[.paused: 6_000], [.paused: 60]])
    #expect(totals.fixes == 0)
    let reader = try StoreReader(path: path)
    #expect(try reader.sessions().map(\.id) == [session.id])
    #expect(try reader.fixes(of: session.id).isEmpty)
    let summary = try SessionSummary(of: session, in: path)
    #expect(summary.streams.map(\.samples) == [0, 0])
    #expect(summary.streams.map(\.lost).contains([.paused: 6_000]))
  }

  /// Pushes 600 samples of a session, each with its own arrival time.
  private static func pushSixSeconds(of session: Session, to producer: inout RingProducer<Reading>)
  {
    for number in 0..<600 {
      let arrival = session.start.advanced(bySeconds: Double(number) / 100)
      let isPushed = producer.push(
        Reading(board: 0, stream: 0, arrival: arrival, counter: UInt32(number)))
      #expect(isPushed)
    }
  }

  @Test func `a pause requested before the store is open takes effect from the first sample`()
    async throws
  {
    let readings = Ring<Reading>.make(capacity: 1 << 12)
    let positions = Ring<PositionReport>.make(capacity: 1 << 4)
    let recorder = try RecorderThread(
      readings: readings.consumer, positions: positions.consumer, onFirstSample: { _ in },
      onFailure: { _ in })
    // The pause is requested, withdrawn, and then requested again.
    for _ in 0..<3 { recorder.togglePause(at: BootClock.now()) }
    try await wait(for: "the pause is shown") { recorder.liveStatus.pause != nil }
    let session = Session(bootID: try BootClock.bootID(), start: BootClock.now())
    _ = try await recorder.open(.store(path), for: session)
    await recorder.addBoard(0, Self.board, Self.streams)
    var producer = readings.producer
    Self.pushSixSeconds(of: session, to: &producer)
    #expect(recorder.liveStatus.pause != nil)
    let totals = await recorder.finish()
    #expect(totals.streams.map(\.stored) == [0, 0])
    #expect(totals.streams.map(\.lost) == [[.paused: 600], [:]])
    let events = try StoreReader(path: path).events(of: session.id)
    #expect(events.map(\.kind) == [.paused, .resumed, .paused])
  }

  @Test
  func `a pause that is requested late takes effect after the samples that were already read`()
    async throws
  {
    let readings = Ring<Reading>.make(capacity: 1 << 12)
    let positions = Ring<PositionReport>.make(capacity: 1 << 4)
    let recorder = try RecorderThread(
      readings: readings.consumer, positions: positions.consumer, onFirstSample: { _ in },
      onFailure: { _ in })
    let session = Session(bootID: try BootClock.bootID(), start: BootClock.now())
    _ = try await recorder.open(.store(path), for: session)
    await recorder.addBoard(0, Self.board, Self.streams)
    var producer = readings.producer
    func arrival(_ number: Int) -> BootTime {
      session.start.advanced(bySeconds: Double(number) / 100)
    }
    for number in 0..<2_000 {
      if number == 1_000 {
        // The second reply comes from a round that began after all samples were pushed. That round
        // emptied the ring.
        for other in 1...2 as ClosedRange<UInt16> {
          await recorder.addBoard(other, Self.board, [])
        }
        recorder.togglePause(at: arrival(500))
      }
      let isPushed = producer.push(
        Reading(
          board: 0, stream: 0, arrival: arrival(number), counter: UInt32(number), x: 0, y: 0, z: 0))
      #expect(isPushed)
    }
    let totals = await recorder.finish()
    #expect(totals.streams.map(\.stored) == [1_000, 0])
    #expect(totals.streams.map(\.lost) == [[.paused: 1_000], [:]])
    let events = try StoreReader(path: path).events(of: session.id)
    #expect(events.map(\.kind) == [.paused])
    #expect(events[0].time > arrival(999) && events[0].time <= arrival(1_000))
  }

  @Test
  func `during a pause, the tail contains only the samples from before the pause`() async throws {
    let readings = Ring<Reading>.make(capacity: 1 << 12)
    let positions = Ring<PositionReport>.make(capacity: 1 << 4)
    let recorder = try RecorderThread(
      readings: readings.consumer, positions: positions.consumer, onFirstSample: { _ in },
      onFailure: { _ in })
    let session = Session(bootID: try BootClock.bootID(), start: BootClock.now())
    _ = try await recorder.open(.store(path), for: session)
    recorder.togglePause(at: session.start.advanced(bySeconds: 3))
    await recorder.addBoard(0, Self.board, Self.streams)
    var producer = readings.producer
    Self.pushSixSeconds(of: session, to: &producer)
    recorder.bell.ring()
    try await wait(for: "the tail has the samples before the pause") {
      try StoreTail(store: path).chunks.reduce(0) { $0 + $1.count } >= 300
    }
    let shown = try SessionSummary(of: session, in: path)
    #expect(shown.streams.first { $0.description.signal == "acceleration" }?.samples == 300)
    #expect(recorder.liveStatus.pause != nil)
    _ = await recorder.finish()
  }
}
