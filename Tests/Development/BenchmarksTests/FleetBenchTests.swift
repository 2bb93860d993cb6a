import ChunkFormat
import Foundation
import Recording
import TestSupport
import Testing
import Values

@testable import Benchmarks

/// Receivers with one PostgreSQL as in `bench fleet`, at a very small size.
@Suite(.realTime) struct FleetBenchTests {
  @Test(.enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
  func `what is acknowledged is there, though receivers and the database are killed`() async throws
  {
    let outcome = try await Program.run(
      Program.built("bench"),
      ["fleet", "--seconds", "3", "--gateways", "40", "--receivers", "2", "--kill", "--json"])
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    let report = try JSONDecoder().decode(JSON.self, from: Data(outcome.output.utf8))
    #expect(report["missing"]?.integer == 0)
    #expect(report["violations"] == .list([]))
    // Each of the 32 lanes has at least one request answered, however busy the computer is.
    #expect(try #require(report["held"]?.integer) >= 32)
  }

  @Test(arguments: [
    ["--seconds", "0"], ["--gateways", "many"], ["--receivers"], ["--often"],
  ])
  func `a wrong call names the mistake`(arguments: [String]) async {
    let outcome = await FleetBench.run(arguments[...])
    #expect(outcome.status == 2)
    #expect(outcome.complaint.first?.contains("'\(arguments[0])'") == true)
  }

  @Test(.computation) func `a chunk with another identity is whole`() throws {
    let chunks = FleetChunks()
    let (id, session) = (UniqueID.random(), UniqueID.random())
    let bytes = chunks.chunk(11, id: id, session: session, content: 3)
    let chunk = try Chunk(decoding: bytes.span)
    #expect(chunk.id == id && chunk.session == session && chunk.sequence == 11)
    #expect(chunk.count == Chunk.capacity)
    #expect((11_000...13_000).contains(bytes.count))
    #expect(chunks.chunk(11, id: id, session: session, content: 5) != bytes)
  }

  @Test(.enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
  func `each thing that is wrong in a database is told`() async throws {
    let server = try await FleetServer()
    try await server.start(["fsync=off"])
    // Without keys, which would not let some of it happen.
    _ = try await server.query(
      """
      CREATE TABLE chunk (gateway uuid, id uuid, hash bytea);
      CREATE TABLE body_20261126 (gateway uuid, id uuid, bytes bytea)
      """)
    let gateway = UniqueID.random()
    let abc = try #require(
      Hexadecimal.bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    var ledger = FleetLedger()
    func send(bytes: String?, rows: Int = 1, isKnown: Bool = true) async throws {
      let id = UniqueID.random()
      if isKnown {
        ledger.entries.append(
          FleetLedger.Entry(gateway: gateway, id: id, sent: [abc], acknowledged: abc))
      }
      for _ in 0..<rows {
        _ = try await server.query(
          "INSERT INTO chunk VALUES ('\(gateway)', '\(id)', '\\x\(Hexadecimal.text(abc))')")
      }
      guard let bytes else { return }
      _ = try await server.query(
        "INSERT INTO body_20261126 VALUES ('\(gateway)', '\(id)', '\(bytes)')")
    }
    try await send(bytes: "abc")
    #expect(try await FleetOracle(ledger, server).violations(ledger).isEmpty)
    try await send(bytes: nil, rows: 0)
    try await send(bytes: "abd")
    try await send(bytes: "abc", rows: 2)
    try await send(bytes: "abc", isKnown: false)
    ledger.entries[0].stored = 2
    ledger.entries[0].sent = [abc, []]
    ledger.entries[0].decided = 2
    ledger.faults = ["an answer 500"]
    let found = try await FleetOracle(ledger, server)
    #expect(found.held == 4)
    #expect(
      found.violations(ledger) == [
        "1 acknowledged chunks are missing", "1 chunks have other bytes",
        "1 chunks are there twice", "1 chunks were never sent",
        "1 chunks were called stored twice", "1 conflicts were not reported", "an answer 500",
      ])
    _ = try await server.query("DELETE FROM chunk")
    #expect(try await FleetOracle(ledger, server).halves == 4)
    await server.remove()
  }

  @Test(.computation) func `the ledger counts conflicts of which both sides were answered`() {
    var ledger = FleetLedger()
    var entry = FleetLedger.Entry(gateway: .random(), id: .random(), sent: [[1], [2]])
    ledger.entries = [entry]
    #expect(ledger.conflicts == (0, 0))
    entry.decided = 2
    ledger.entries = [entry]
    #expect(ledger.conflicts == (1, 0))
    entry.conflicts = 1
    ledger.entries = [entry]
    #expect(ledger.conflicts == (1, 1))
    ledger.times = [3, 1, 2.5]
    #expect(ledger.longestPause == 1.5)
  }
}
