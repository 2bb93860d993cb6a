internal import LinuxSystem
internal import UploadProtocol
internal import Values

/// Compares a ledger with the fleet's stored data: the chunks that the receivers return to the
/// gateways that sent them, and the rows on each server.
struct FleetOracle {
  /// The numbers of rows on one server.
  struct Count: Sendable {
    var server: String
    var rows = 0
    /// The number of chunk rows that repeat the id of another chunk from the same gateway.
    var twice = 0
    /// The number of chunk rows without bytes, plus the number of bodies without a chunk row.
    var halves = 0
    /// The number of chunks whose bytes do not match their hash.
    var altered = 0
  }

  /// The chunks returned by the receivers.
  private struct Found {
    var chunks = 0
    var missing = 0
    var altered = 0

    mutating func add(_ other: Found) {
      chunks += other.chunks
      missing += other.missing
      altered += other.altered
    }
  }

  /// The number of connections used for reading the chunks.
  private static let readers = 4
  /// The time limit in seconds for a receiver to return a chunk.
  private static let patience = 60.0

  /// The number of acknowledged chunks that the receivers cannot return.
  let missing: Int
  /// The number of chunks that differ from the bytes that were acknowledged or sent.
  let altered: Int
  /// The number of chunks in the database that the bench did not send.
  let foreign: Int
  /// The row counts of each server, the primary first.
  let counts: [Count]

  /// The number of chunks in the database.
  var held: Int { counts[0].rows }

  /// Reads all chunks through the receivers at these ports and compares them with the ledger.
  init(
    _ ledger: FleetLedger, _ gateways: [FleetGateway], _ cluster: FleetCluster, ports: [UInt16],
    _ chunks: FleetChunks
  ) async throws {
    let found = Guarded(Found())
    let threads = try (0..<Self.readers).map { number in
      try NamedThread("reader \(number)") {
        let link = FleetLink(port: ports[number % ports.count])
        var own = Found()
        for index in stride(from: number, to: ledger.entries.count, by: Self.readers) {
          own.add(Self.look(for: ledger.entries[index], gateways, chunks, link))
        }
        found.withLock { [own] in $0.add(own) }
      }
    }
    for thread in threads { thread.join() }
    let sum = found.withLock { $0 }
    try await cluster.waitUntilEqual()
    var counts: [Count] = []
    for server in [cluster.primary] + cluster.standbys {
      counts.append(try await Self.count(server))
    }
    self.counts = counts
    missing = sum.missing
    altered = sum.altered
    foreign = counts[0].rows - sum.chunks
  }

  private static func look(
    for entry: FleetLedger.Entry, _ gateways: [FleetGateway], _ chunks: FleetChunks,
    _ link: FleetLink
  ) -> Found {
    let gateway = gateways[Int(entry.gateway)]
    let number = Int(entry.number)
    let request = """
      GET \(UploadPath.chunk(gateway.chunk(number)).text) HTTP/1.1\r\nHost: 127.0.0.1\r
      Authorization: Bearer \(gateway.token)\r\n\r\n
      """
    let limit = BootClock.now().advanced(bySeconds: patience)
    var answer = link.ask(Array(request.utf8))
    while answer?.status ?? 500 >= 500, limit.seconds(since: BootClock.now()) > 0 {
      var polls = PollSet()
      polls.wait(seconds: 0.1)
      answer = link.ask(Array(request.utf8))
    }
    guard let answer, answer.status == 200 else {
      return Found(missing: entry.acknowledged == nil ? 0 : 1)
    }
    let contents: [FleetLedger.Content] = entry.acknowledged.map { [$0] } ?? [.own, .other]
    let isAsSent = contents.contains { content in
      answer.body == chunks.chunk(number, of: gateway, isOther: content == .other)
    }
    return Found(chunks: 1, altered: isAsSent ? 0 : 1)
  }

  private static func count(_ server: FleetServer) async throws -> Count {
    let tables = try await server.query(
      "SELECT tablename FROM pg_tables WHERE tablename LIKE 'body\\_%'")
    let bodies = tables.map { "SELECT gateway, id, sha256(bytes) AS hash FROM \($0)" }
      .joined(separator: " UNION ALL ")
    let line = try await server.query(
      """
      SELECT count(*), count(*) - count(DISTINCT (gateway, id)),
        count(*) FILTER (WHERE body.hash IS NULL OR chunk.hash IS NULL),
        count(*) FILTER (WHERE body.hash <> chunk.hash)
      FROM chunk FULL JOIN (\(bodies)) AS body USING (gateway, id)
      """)
    let numbers = (line.first ?? "").split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 4 else { throw MeasurementError("psql printed '\(line)'") }
    return Count(
      server: server.name, rows: numbers[0], twice: numbers[1], halves: numbers[2],
      altered: numbers[3])
  }

  /// Returns descriptions of all faults; empty if there are none.
  func violations(_ ledger: FleetLedger) -> [String] {
    let storedTwice = ledger.entries.count { $0.stored > 1 }
    let conflicts = ledger.conflicts
    var wrong = [
      (missing, "acknowledged chunks are missing"), (altered, "chunks have different bytes"),
      (foreign, "chunks were never sent"), (storedTwice, "chunks were reported as stored twice"),
      (conflicts.sent - conflicts.reported, "conflicts were not reported"),
    ]
    for count in counts {
      wrong += [
        (count.twice, "chunks are duplicated in \(count.server)"),
        (count.halves, "chunks lack either their row or their bytes in \(count.server)"),
        (count.altered, "chunks do not match their hash in \(count.server)"),
        (count.rows - held, "more chunks are in \(count.server) than in the primary"),
      ]
    }
    return wrong.filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" } + ledger.faults
  }
}
