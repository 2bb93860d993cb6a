import ChunkFormat
import Export
import Recording
import Values

/// A session in memory, with faults that a test can configure.
struct MemorySource: SessionSource {
  static let left = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left \"L\"", model: "MetaMotion S",
    firmware: "1.7.2")
  static let right = BoardIdentity(
    address: BoardAddress(value: 0xd201_0000_00ff), name: "right", model: "MetaMotion R",
    firmware: "1.5.0")
  static let acceleration = StreamDescription(
    signal: "acceleration", unit: "g", countsPerUnit: 16_384, rate: 100,
    lossAccounting: .counted)
  static let quaternion = StreamDescription(
    signal: "quaternion", unit: "1", axes: ["x", "y", "z", "w"], countsPerUnit: 16.4, rate: 50,
    lossAccounting: .estimated)

  static let angles = StreamDescription(
    signal: "euler", unit: "°", axes: ["pitch", "roll"], rawForm: .float, countsPerUnit: 1,
    rate: 100, lossAccounting: .estimated, hasBoardTicks: true)

  var session = Session(
    id: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
    start: BootTime(nanoseconds: 100_000_000_000), note: "Brücke & \"Weg\"")
  var described: [SourceStream] = []
  var chunks: [[Chunk]] = []
  /// Bytes that are returned in place of a chunk's own.
  var replaced: [UniqueID: [UInt8]] = [:]
  /// The known sample counts of missing chunks, by stream position and sequence number.
  var gone: [Int: [UInt32: UInt64]] = [:]
  var track: [Fix] = []
  var worn: [BoardAddress: String] = [:]
  var reportedHazards: [Hazard] = []
  var remarks: [Annotation] = []
  var happened: [SessionEvent] = []
  var clock: [ClockTable.Entry] = []

  /// Adds a stream whose chunks have `counts` samples. The first sample is `offset` nanoseconds
  /// after the start of the session.
  mutating func add(
    _ description: StreamDescription, of board: BoardIdentity, offset: Int64, counts: [Int]
  ) {
    let period = 1e9 / description.rate
    var taken = 0
    var sealed: [Chunk] = []
    for (sequence, count) in counts.enumerated() {
      let first = session.start.nanoseconds + offset + Int64(Double(taken) * period)
      let from = taken
      sealed.append(
        Chunk(
          id: .random(), session: session.id, bootID: session.bootID, board: board,
          stream: description, sequence: UInt32(sequence),
          clock: Chunk.Clock(first: BootTime(nanoseconds: first), period: period),
          counters: (0..<count).map { UInt32(from + $0) },
          arrivals: [BootTime](repeating: BootTime(nanoseconds: first), count: count),
          ticks: description.hasBoardTicks
            ? (0..<count).map { UInt32.max - 50 &+ UInt32(from + $0) / 7 } : [],
          columns: (0..<description.axisCount).map { axis in
            (0..<count).map {
              Int32(truncatingIfNeeded: (from + $0 + axis) * 7_919 % 65_536 - 32_768)
            }
          }, gaps: [], fixes: []))
      taken += count
    }
    described.append(SourceStream(board: board, description: description, sampleCount: taken))
    chunks.append(sealed)
  }

  func streams() -> [SourceStream] { described }

  func chunk(ofStream position: Int, after sequence: UInt32?) -> SourceChunk? {
    let next = chunks[position].first { chunk in sequence.map { chunk.sequence > $0 } ?? true }
    return next.map {
      SourceChunk(
        sequence: $0.sequence, sampleCount: $0.count, lostCount: $0.lostCount,
        bytes: replaced[$0.id] ?? $0.encoded())
    }
  }

  func missingSamples(ofStream position: Int, in places: ClosedRange<UInt32>) -> UInt64? {
    gone[position]?.filter { places.contains($0.key) }.values.reduce(0) { $0.addingSaturated($1) }
  }

  func fixes(from first: Int, limit: Int) -> [Fix] {
    Array(track.dropFirst(first).prefix(limit))
  }

  func clockEntries() -> [ClockTable.Entry] { clock }

  func placements() -> [BoardAddress: String] { worn }

  func hazards() -> [Hazard] { reportedHazards }

  func annotations() -> [Annotation] { remarks }

  func events() -> [SessionEvent] { happened }

  /// Returns a fix `seconds` after the start of the session.
  func fix(_ seconds: Double, _ latitude: Double, _ longitude: Double) -> Fix {
    Fix(
      arrival: session.start.advanced(bySeconds: seconds),
      utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000 + Int64(seconds * 1e9)),
      latitude: latitude, longitude: longitude)
  }
}

/// A sink that stores up to `capacity` bytes, and fails when more are written.
struct MemorySink: ByteSink {
  struct Full: Error {}

  var bytes: [UInt8] = []
  var capacity = Int.max

  mutating func write(_ more: Span<UInt8>) throws {
    guard bytes.count + more.count <= capacity else { throw Full() }
    for index in more.indices { bytes.append(more[index]) }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}
