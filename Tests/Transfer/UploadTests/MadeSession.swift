import ChunkFormat
@testable import Upload
import Recording
import TestSupport
import Values

/// A generated session of two boards, with their gyroscopes, one accelerometer, and a track with a
/// gap.
struct MadeSession: OutgoingSession {
  static let left = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
    firmware: "1.7.2")
  static let right = BoardIdentity(
    address: BoardAddress(value: 0xd201_0000_00ff), name: "right", model: "MetaMotion R",
    firmware: "1.5.0")
  static let gyroscope = StreamDescription(
    signal: "angular_velocity", unit: "deg/s", countsPerUnit: 16.4, rate: 50,
    lossAccounting: .counted)
  static let accelerometer = StreamDescription(
    signal: "acceleration", unit: "g", countsPerUnit: 16_384, rate: 50, lossAccounting: .counted)
  static let start = BootTime(nanoseconds: 100_000_000_000)
  static let utc: Int64 = 1_777_887_000_000_000_000

  var made: SessionRecord
  var chunks: [OutgoingChunk] = []
  var track: [Fix] = []

  /// - Parameter sizes: the number of samples in each chunk of each stream.
  init(
    sizes: [Int] = [2_000, 2_000, 500], fixes: Int = 95, seed: UInt64 = 1, isDated: Bool = true,
    second: Int64 = 0
  ) {
    var random = SeededGenerator(seed: seed)
    let seconds = Double(sizes.reduce(0, +)) / Self.gyroscope.rate
    var session = Session(
      bootID: .random(), start: Self.start, end: Self.start.advanced(bySeconds: seconds),
      note: "Brücke & \"Weg\"", gateway: "gateway-1", wearer: "Ada")
    session.ending = .closed
    var streams: [SessionRecord.Stream] = []
    for (board, description) in [
      (Self.left, Self.gyroscope), (Self.left, Self.accelerometer), (Self.right, Self.gyroscope),
    ] {
      var entries: [SessionRecord.ChunkEntry] = []
      var taken = 0
      for (sequence, size) in sizes.enumerated() {
        let first = Self.start.nanoseconds + 3_333_333 + Int64(taken) * 20_000_137
        let chunk = Chunk(
          id: .random(), session: session.id, bootID: session.bootID, board: board,
          stream: description, sequence: UInt32(sequence),
          clock: Chunk.Clock(first: BootTime(nanoseconds: first), period: 20_000_137),
          counters: (0..<size).map { UInt32(taken + $0) },
          arrivals: (0..<size).map {
            BootTime(nanoseconds: first + Int64($0) * 20_000_137 + 4_000_000)
          },
          columns: (0..<3).map { _ in
            (0..<size).map { _ in Int32.random(in: -32_768...32_767, using: &random) }
          }, gaps: [], fixes: [])
        entries.append(
          SessionRecord.ChunkEntry(
            id: chunk.id, sequence: chunk.sequence, sampleCount: size, lostCount: 0,
            first: chunk.clock.first))
        chunks.append(
          OutgoingChunk(
            id: chunk.id, session: session.id, board: board.address, signal: description.signal,
            sequence: chunk.sequence, sampleCount: size, bytes: chunk.encoded()))
        taken += size
      }
      streams.append(
        SessionRecord.Stream(board: board.address, description: description, chunks: entries))
    }
    for number in 0..<fixes where !(20..<45).contains(number % 100) {
      // The track starts after three seconds, and every seventh fix has no altitude.
      let time = Self.start.nanoseconds + 3_000_000_000 + Int64(number) * 1_000_000_000
      track.append(
        Fix(
          arrival: BootTime(nanoseconds: time + 150_000_000),
          utc: UTCTime(
            nanoseconds: Self.utc + second * 1_000_000_000 + time - Self.start.nanoseconds),
          latitude: 48.2 + Double(number) * 1.23e-5, longitude: 16.37 - Double(number) * 0.7e-5,
          altitudeMSL: number % 7 == 0 ? nil : 171.5 + Double(number % 11) / 3, speed: 1.4,
          followsLoss: number % 100 == 45))
    }
    var statistics = SessionStatistics()
    statistics.elapsed = seconds
    statistics.distance = 123.5
    statistics.altitude = .init(source: .satellites, gain: 4, loss: 6.5)
    statistics.steps = [
      .init(board: Self.left.address, source: .accelerometer, count: 140),
      .init(board: Self.right.address, source: .accelerometer, count: 141),
    ]
    made = SessionRecord(
      session: session, boards: [Self.left, Self.right],
      placements: [Self.left.address: "left ankle"], streams: streams, fixCount: track.count,
      clock: isDated
        ? [
          ClockTable.Entry(
            boot: Self.start, utc: UTCTime(nanoseconds: Self.utc + second * 1_000_000_000),
            source: .synchronised)
        ] : [],
      hazards: [
        Hazard(
          name: "Poor Lighting", intensity: 2, time: Self.start.advanced(bySeconds: 5),
          position: GeoPosition(latitude: 48.2, longitude: 16.37)),
        Hazard(name: "Ice", intensity: 3, time: Self.start.advanced(bySeconds: 7)),
      ],
      annotations: [Annotation(time: Self.start.advanced(bySeconds: 8), text: "a remark")],
      events: [
        SessionEvent(.battery, board: Self.left.address, at: Self.start, value: 81),
        SessionEvent(.receiver, at: Self.start, text: "fix"),
      ], statistics: statistics)
  }

  func record() async throws -> SessionRecord { made }

  func fixes(from first: Int, limit: Int) async throws -> [Fix] {
    Array(track.dropFirst(first).prefix(limit))
  }

  /// The session, in the form in which exports read it.
  var source: FetchedSession {
    FetchedSession(
      record: made, track: track,
      chunks: Dictionary(uniqueKeysWithValues: chunks.map { ($0.id, $0.bytes) }))
  }

  func decoded(_ position: Int) throws -> Chunk {
    let bytes = chunks[position].bytes
    return try Chunk(decoding: bytes.span)
  }

  func gyroscopeChunks(of board: BoardIdentity) -> [OutgoingChunk] {
    chunks.filter { $0.board == board.address && $0.signal == "angular_velocity" }
  }

  /// Sends all the session's data, and returns the verdicts on the chunks and, last, on the record.
  func send(to destination: FirestoreDestination) async -> [Verdict] {
    var verdicts: [Verdict] = []
    for start in stride(from: 0, to: chunks.count, by: destination.traits.chunksPerCall) {
      let end = min(chunks.count, start + destination.traits.chunksPerCall)
      verdicts += await destination.store(Array(chunks[start..<end]), of: self)
    }
    return verdicts + [await destination.finish(self)]
  }
}
