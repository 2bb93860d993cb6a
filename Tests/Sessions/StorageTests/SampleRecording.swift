import Recording
import TestSupport
import Values

/// The parts of a small recording with one board and up to three streams.
enum SampleRecording {
  static let session = Session(
    id: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
    start: BootTime(nanoseconds: 5_000_000_000), note: "Fahrt über die Brücke")

  /// Returns a session with this number as its id.
  static func session(_ number: UInt64) -> Session {
    var session = session
    session.id = UniqueID(high: 100, low: number)
    return session
  }

  static let board = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
    firmware: "1.7.2")

  static let acceleration = StreamDescription(
    signal: "acceleration", unit: "g", countsPerUnit: 16_384, rate: 100,
    lossAccounting: .counted)

  static let temperature = StreamDescription(
    signal: "temperature", unit: "°C", axes: ["value"], countsPerUnit: 8, rate: 1,
    lossAccounting: .estimated)

  static let heading = StreamDescription(
    signal: "euler", unit: "°", axes: ["heading", "pitch", "roll"], rawForm: .float,
    countsPerUnit: 1, rate: 100, lossAccounting: .estimated, hasBoardTicks: true)

  static func chunk(
    _ sequence: UInt32, of stream: StreamDescription = acceleration, count: Int = 100
  ) -> Chunk {
    let first = session.start.nanoseconds + Int64(sequence) * 1_000_000_000
    return Chunk(
      id: .random(), session: session.id, bootID: session.bootID, board: board, stream: stream,
      sequence: sequence,
      clock: Chunk.Clock(first: BootTime(nanoseconds: first), period: 10_000_000),
      counters: (0..<count).map { UInt32($0) + sequence * 100 },
      arrivals: (0..<count).map { BootTime(nanoseconds: first + Int64($0) * 10_000_000) },
      ticks: stream.hasBoardTicks ? (0..<count).map { UInt32($0) * 7 } : [],
      columns: (0..<stream.axisCount).map { axis in
        // Unpredictable values cannot be compressed, so the size of a chunk is known.
        (0..<count).map { index in
          var generator = SeededGenerator(seed: UInt64(index * 4 + axis))
          return Int32(truncatingIfNeeded: generator.next())
        }
      },
      gaps: [
        Gap(
          start: BootTime(nanoseconds: first), end: BootTime(nanoseconds: first + 1), lost: 5,
          isEstimate: false, reason: .link)
      ],
      fixes: [])
  }

  static let fixes = [
    Fix(
      arrival: BootTime(nanoseconds: 5_100_000_000), utc: UTCTime(nanoseconds: 1_777_887_000),
      latitude: 50.0830467, longitude: -14.4113883, altitudeMSL: 0, geoidSeparation: 44.5,
      speed: 0, track: 359.9, hdop: 0.8, satellites: 0, isThreeDimensional: true,
      quality: .realTimeKinematic,
      error: Fix.ErrorEstimate(horizontal: 0.02, vertical: 0.05, basis: .reported)),
    Fix(
      arrival: BootTime(nanoseconds: 5_200_000_000), utc: UTCTime(nanoseconds: -1), latitude: 0,
      longitude: 180, error: Fix.ErrorEstimate(horizontal: 15, basis: .dilution),
      followsLoss: true),
  ]

  static let clock = [
    ClockTable.Entry(
      boot: BootTime(nanoseconds: 5_000_000_000), utc: UTCTime(nanoseconds: 1_777_887_000_000),
      source: .satellites)
  ]
}
