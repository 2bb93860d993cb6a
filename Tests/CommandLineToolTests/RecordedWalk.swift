@testable import CommandLineTool
@testable import Terminal
import LinuxSystem
import Recording
import Storage
import Values

/// A store with two recordings: an earlier one that was interrupted, and a walk with every kind of
/// detail.
final class RecordedWalk: Sendable {
  private let folder: TemporaryFolder
  var store: String { folder.path + "/store.sqlite" }

  static let earlier = Session(
    id: UniqueID(high: 0x1111_2222_0000_4000, low: 0x8000_0000_0000_0001),
    bootID: UniqueID(high: 8, low: 8), start: BootTime(nanoseconds: 99_000_000_000_000))

  static let walk = Session(
    id: UniqueID(high: 0x1111_2233_0000_4000, low: 0x8000_0000_0000_0002),
    bootID: UniqueID(high: 3, low: 4), start: BootTime(nanoseconds: 5_000_000_000),
    note: "Fahrt über die Brücke", gateway: "pi", wearer: "Anna")

  static let board = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
    firmware: "1.7.2")

  static let acceleration = StreamDescription(
    signal: "acceleration", unit: "g", countsPerUnit: 16_384, range: 2, rate: 100,
    lossAccounting: .counted)

  static let light = StreamDescription(
    signal: "light", unit: "lx", axes: ["value"], countsPerUnit: 1, rate: 10,
    lossAccounting: .estimated)

  init() throws {
    folder = try TemporaryFolder()
    try BoardRegister(path: store).remember(
      StoredBoard(
        address: Self.board.address, name: "left", placement: "left wrist",
        model: Self.board.model, firmware: "1.7.2", added: UTCTime(nanoseconds: 0)))
    var store = try Store.open(path: store)
    try store.begin(Self.earlier)
    let walk = Self.walk
    try store.begin(
      walk, hazards: [Hazard(name: "Slippery", intensity: 2, time: walk.start)])
    try store.addBoard(Self.board, session: walk.id)
    for stream in [Self.acceleration, Self.light] {
      try store.addStream(stream, board: Self.board.address, session: walk.id)
    }
    // A hundredth of a degree to the north is 1,112 metres. For the last 25 seconds the wearer
    // stands still.
    let fixes = [(Int64(10), 50.0), (35, 50.01)].map { seconds, latitude in
      Fix(
        arrival: BootTime(nanoseconds: seconds * 1_000_000_000),
        utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000 + seconds * 1_000_000_000),
        latitude: latitude, longitude: 14.5)
    }
    try store.commit(
      chunks: [
        Self.chunk(0, of: Self.acceleration), Self.chunk(1, of: Self.acceleration, lost: 12),
        Self.chunk(0, of: Self.light, lost: 3),
      ],
      fixes: fixes,
      clock: fixes.map {
        ClockTable.Entry(boot: $0.arrival, utc: $0.utc, source: .satellites)
      },
      events: [
        SessionEvent(.battery, board: Self.board.address, at: walk.start, value: 98),
        SessionEvent(
          .linkLost, board: Self.board.address, at: walk.start.advanced(bySeconds: 12.5)),
      ])
    try store.end(session: walk.id, at: walk.start.advanced(bySeconds: 75.5))
    try store.close()
  }

  private static func chunk(
    _ sequence: UInt32, of stream: StreamDescription, lost: UInt64 = 0
  ) -> Chunk {
    let count = 1_000
    let period = 1e9 / stream.rate
    let start = walk.start.nanoseconds + Int64(sequence) * Int64(Double(count) * period)
    let times = (0..<count).map { BootTime(nanoseconds: start + Int64(Double($0) * period)) }
    return Chunk(
      id: UniqueID(high: 0xaaaa_0000_0000_4000, low: UInt64(sequence) + UInt64(stream.axisCount)),
      session: walk.id, bootID: walk.bootID, board: board, stream: stream, sequence: sequence,
      clock: Chunk.Clock(first: times[0], period: period),
      counters: (0..<UInt32(count)).map { $0 + sequence * 1_000 }, arrivals: times,
      columns: stream.axes.map { _ in Array(repeating: 7, count: count) },
      gaps: lost == 0
        ? []
        : [
          Gap(
            start: times[0], end: times[1], lost: lost,
            isEstimate: stream.lossAccounting == .estimated,
            reason: stream.lossAccounting == .counted ? .link : .disconnected)
        ],
      fixes: [])
  }

  /// Runs the program on this store.
  func run(_ arguments: String...) async -> Outcome {
    await Outcome.of(arguments, environment: ["FOOTBRIDGE_STORE": store], commands: Commands.all)
  }
}
