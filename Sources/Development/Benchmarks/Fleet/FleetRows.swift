internal import ChunkFormat
internal import Fleet
internal import LinuxSystem
internal import Recording
internal import Values

/// Compares three ways to store the same chunks: the fleet's own way, and one row per sample, with
/// or without a key. The three ways are measured alternately.
///
/// The rows are stored in the most efficient form: numbers instead of names, binary `COPY` from a
/// prepared file, and one transaction for all rows. The chunks are stored as a receiver stores
/// them.
struct FleetRows {
  /// The cost of one way to store the chunks.
  struct Side {
    var name: String
    /// The throughput in each round of the measurement, in samples per second.
    var rates: [Double] = []
    var logBytes = 0
    var tableBytes = 0
  }

  /// The number of rounds of the measurement, the number of chunks per round, and the number of
  /// chunks that a receiver stores in one transaction.
  private static let turns = 11
  private static let chunksPerTurn = 96
  private static let chunksTogether = 16
  /// The time of the first sample, counted from the start of the year 2000, and the step between
  /// samples, both in microseconds.
  private static let epoch: Int64 = 800_000_000_000_000
  private static let step: Int64 = 10_000

  private(set) var sides = [
    Side(name: "one row per chunk"), Side(name: "one row per sample"),
    Side(name: "the same with a key"),
  ]
  private let servers: Int

  init(_ cluster: FleetCluster, seed: UInt64, _ stopping: StopFlag) async throws {
    servers = cluster.standbys.count + 1
    let fleet = try FleetDatabase(cluster.address)
    _ = try fleet.migrate()
    let gateway = FleetGateway(id: .random(), token: "")
    _ = try fleet.add("rows", gateway: gateway.id)
    let intake = try DatabaseIntake(cluster.address)
    let columns =
      "time timestamptz, gateway int, x real, y real, z real, signal smallint"
    try await cluster.primary.query("CREATE TABLE plain (\(columns))")
    try await cluster.primary.query(
      "CREATE TABLE keyed (\(columns), PRIMARY KEY (gateway, signal, time))")
    let folder = try TemporaryFolder(prefix: "footbridge-fleet-rows")
    let chunks = FleetChunks()
    for turn in 0..<Self.turns {
      let bytes = (0..<Self.chunksPerTurn).map {
        chunks.chunk(turn * Self.chunksPerTurn + $0, of: gateway)
      }
      let received = try bytes.map {
        ReceivedChunk(bytes: $0, chunk: try Chunk(decoding: $0.span), from: .gateway(gateway.id))
      }
      let path = "\(folder.path)/rows"
      try Self.write(received.map(\.bytes), turn: turn, to: path)
      // The order of the three sides rotates, so each side goes first in every third round.
      for offset in sides.indices {
        guard !stopping.isRaised else { throw MeasurementError("the run was interrupted") }
        let side = (turn + offset) % sides.count
        let before = try await cluster.logBytes()
        let began = BootClock.now()
        switch side {
        case 0:
          for first in stride(from: 0, to: received.count, by: Self.chunksTogether) {
            let verdicts = try intake.store(Array(received[first..<first + Self.chunksTogether]))
            guard verdicts.allSatisfy({ $0 == .stored }) else {
              throw MeasurementError("a chunk was not stored: \(verdicts)")
            }
          }
        default:
          let table = side == 1 ? "plain" : "keyed"
          try await cluster.primary.query("\\copy \(table) FROM '\(path)' (FORMAT binary)")
        }
        let seconds = BootClock.now().seconds(since: began)
        sides[side].rates.append(Double(Self.chunksPerTurn * Chunk.capacity) / seconds)
        sides[side].logBytes += try await cluster.logBytes() - before
      }
    }
    let ours = """
      SELECT sum(pg_total_relation_size(tablename::regclass))::bigint FROM pg_tables
      WHERE tablename IN ('chunk', 'session', 'stream') OR tablename LIKE 'body\\_%'
      """
    sides[0].tableBytes = try await cluster.primary.number(ours)
    for (side, table) in [(1, "plain"), (2, "keyed")] {
      sides[side].tableBytes = try await cluster.primary.number(
        "SELECT pg_total_relation_size('\(table)')")
    }
    try await check(cluster)
  }

  /// Checks that every side stored every sample.
  private func check(_ cluster: FleetCluster) async throws {
    let expected = Self.turns * Self.chunksPerTurn * Chunk.capacity
    for query in [
      "SELECT sum(samples)::bigint FROM chunk", "SELECT count(*) FROM plain",
      "SELECT count(*) FROM keyed",
    ] where try await cluster.primary.number(query) != expected {
      throw MeasurementError("samples are missing: \(query)")
    }
  }

  /// Writes the chunks' samples in the binary format of PostgreSQL's `COPY`.
  private static func write(_ chunks: [[UInt8]], turn: Int, to path: String) throws {
    var form: [UInt8] =
      Array("PGCOPY\n".utf8) + [0xff, 13, 10, 0] + [UInt8](repeating: 0, count: 8)
    func append(_ value: some FixedWidthInteger) {
      for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
        form.append(UInt8(truncatingIfNeeded: value >> shift))
      }
    }
    func field(_ value: some FixedWidthInteger) {
      append(Int32(value.bitWidth / 8))
      append(value)
    }
    for (place, bytes) in chunks.enumerated() {
      let chunk = try Chunk(decoding: bytes.span)
      let first = Int64((turn * chunksPerTurn + place) * Chunk.capacity)
      for index in 0..<chunk.count {
        append(Int16(6))
        field(epoch + (first + Int64(index)) * step)
        field(Int32(1))
        for axis in 0..<3 { field(Float(chunk.columns[axis][index]).bitPattern) }
        field(Int16(place % 2))
      }
    }
    append(Int16(-1))
    let file = try OwnedDescriptor.create(path)
    try file.writeAll(form.span, to: path)
  }

  // MARK: The report

  private var samples: Double { Double(Self.turns * Self.chunksPerTurn * Chunk.capacity) }

  var lines: [String] {
    let machine = Machine.current()
    return [
      "processor \(machine.processor), \(machine.cores) cores; commit \(machine.commit)",
      "\(Self.turns) rounds of \(Self.chunksPerTurn) chunks with 2,000 samples each, \(servers) "
        + "servers; medians",
    ]
      + sides.map { side in
        "  \(side.name): \(Int(Figures(side.rates).median)) samples per second, "
          + "\(FleetReport.text(Double(side.tableBytes) / samples)) bytes per sample in tables, "
          + "\(FleetReport.text(Double(side.logBytes) / samples)) in the log"
      }
  }

  var json: JSONValue {
    [
      "turns": Self.turns.json, "chunksPerTurn": Self.chunksPerTurn.json, "servers": servers.json,
      "sides": .array(
        sides.map { side in
          [
            "name": side.name.json, "samplesPerSecond": Figures(side.rates).median.json,
            "tableBytesPerSample": .number(Double(side.tableBytes) / samples),
            "logBytesPerSample": .number(Double(side.logBytes) / samples),
          ]
        }),
    ]
  }
}
