import ChunkFormat
import Fleet
import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

@testable import Benchmarks

/// Several receivers that share one PostgreSQL server, as in `bench fleet` but on a very small
/// scale.
@Suite(.realTime) struct FleetBenchTests {
  private func run(_ arguments: String...) async throws -> JSON {
    let outcome = try await Program.run(Program.built("bench"), ["fleet", "--json"] + arguments)
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    let report = try JSONDecoder().decode(JSON.self, from: Data(outcome.output.utf8))
    #expect(report["missing"]?.integer == 0)
    #expect(report["violations"] == .list([]))
    return report
  }

  @Test(.enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
  func `acknowledged chunks survive when receivers and the database are killed`() async throws {
    let report = try await run(
      "--seconds", "3", "--gateways", "40", "--receivers", "2", "--kill")
    // Each of the 32 lanes gets at least one response, however busy the computer is.
    #expect(try #require(report["held"]?.integer) >= 32)
  }

  @Test(.enabled(if: PostgresServer.isInstalled && hasProxy, absenceOfProxy))
  func `a cluster keeps acknowledged chunks if its primary server fails`() async throws {
    let report = try await run(
      "--cluster", "--seconds", "3", "--gateways", "40", "--rate", "40", "--kills", "2")
    guard case .list(let counts)? = report["counts"] else {
      Issue.record("the servers were not counted")
      return
    }
    #expect(counts.count == 3)
    #expect(try #require(report["held"]?.integer) > 0)
  }

  private static let hasProxy =
    ChildProcess.locate("haproxy") != nil
    || FileManager.default.isExecutableFile(atPath: "/usr/sbin/haproxy")
  private static let absenceOfProxy: Comment =
    "SKIPPED: PostgreSQL's server or haproxy is not installed: bash .ci/setup --servers"

  @Test(arguments: [
    ["--seconds", "0"], ["--gateways", "many"], ["--receivers"], ["--often"], ["--rate", "5"],
  ])
  func `the error for an invalid call states the mistake`(arguments: [String]) async {
    let outcome = await FleetBench.run(arguments[...])
    #expect(outcome.status == 2)
    #expect(outcome.complaint.first?.contains("'\(arguments[0])'") == true)
  }

  @Test(.computation)
  func `a sample chunk that the benchmark copies under a new id is still valid`() throws {
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
  func `the benchmark detects each kind of fault in a fleet's database`() async throws {
    let cluster = try await FleetCluster(servers: 1)
    try await cluster.startAlone(["fsync=off"])
    let database = try FleetDatabase(cluster.address)
    _ = try database.migrate()
    let id = UniqueID.random()
    let gateways = [FleetGateway(id: id, token: try database.add("walker", gateway: id))]
    let receivers = try FleetReceivers(1, into: cluster.address)
    let course = FleetLane.Course(
      ports: receivers.ports, interval: nil, seed: 1, start: BootClock.now(), stopping: StopFlag())
    var lane = FleetLane([(number: 0, gateway: gateways[0])], course)
    let task = Task {
      while course.pulse.acknowledged < 8 { try await Task.sleep(for: .milliseconds(10)) }
      course.ending.raise()
    }
    var ledger = lane.run()
    try await task.value
    func look() async throws -> [String] {
      try await FleetOracle(ledger, gateways, cluster, ports: receivers.ports, course.chunks)
        .violations(ledger)
    }
    #expect(try await look() == [])
    let body = try #require(
      try await cluster.primary.query(
        "SELECT tablename FROM pg_tables WHERE tablename LIKE 'body\\_%'"
      ).first)
    func damage(_ chunk: Int, _ statements: String...) async throws {
      for statement in statements {
        try await cluster.primary.query(
          statement + " WHERE id = '\(gateways[0].chunk(chunk))'")
      }
    }
    // The tables have no keys, since keys would prevent some of these faults.
    try await cluster.primary.query("ALTER TABLE chunk DROP CONSTRAINT chunk_pkey")
    try await cluster.primary.query(
      "ALTER TABLE chunk DROP CONSTRAINT chunk_gateway_session_board_signal_sequence_key")
    try await damage(0, "DELETE FROM chunk", "DELETE FROM \(body)")
    // A receiver never returns bytes whose hash differs from the hash in their row.
    try await damage(
      1, "UPDATE \(body) SET bytes = 'abd'", "UPDATE chunk SET hash = sha256('abd')")
    try await damage(2, "INSERT INTO chunk SELECT * FROM chunk")
    try await damage(3, "DELETE FROM \(body)")
    let stranger = UniqueID.random()
    try await damage(
      4,
      "INSERT INTO chunk SELECT '\(stranger)', id, session, board, signal, sequence, samples, "
        + "lost, first_ns, hash, day FROM chunk",
      "INSERT INTO \(body) SELECT '\(stranger)', id, 'abe' FROM \(body)")
    ledger.entries[5].stored = 2
    ledger.entries[6].hasOther = true
    ledger.entries[6].decided += 1
    ledger.faults = ["an answer 422"]
    #expect(
      try await look() == [
        "2 acknowledged chunks are missing", "1 chunks have different bytes",
        // The rows are the second copy, the incomplete copy, and the copy from another gateway.
        "3 chunks were never sent", "1 chunks were reported as stored twice",
        "1 conflicts were not reported", "1 chunks are duplicated in db0",
        "1 chunks lack either their row or their bytes in db0",
        "1 chunks do not match their hash in db0", "an answer 422",
      ])
    receivers.end()
    await cluster.remove()
  }

  @Test(.computation)
  func `the benchmark counts conflicting uploads if both senders received a response`() {
    var ledger = FleetLedger()
    var entry = FleetLedger.Entry(gateway: 0, number: 0, hasOther: true)
    ledger.entries = [entry]
    #expect(ledger.conflicts == (0, 0))
    entry.decided = 2
    ledger.entries = [entry]
    #expect(ledger.conflicts == (1, 0))
    entry.conflicts = 1
    ledger.entries = [entry]
    #expect(ledger.conflicts == (1, 1))
  }

  @Test(.computation)
  func `a gap in the acknowledgements is attributed to the faults that occurred during the gap`() {
    var ledger = FleetLedger()
    ledger.times = [1, 2.5, 3, 7]
    #expect(ledger.longestPause() == 4)
    #expect(ledger.longestPause(from: 0.5, to: 2) == 1.5)
    #expect(ledger.longestPause(from: 6, to: 6.5) == 4)
    #expect(ledger.longestPause(from: 8, to: 9) == 0)
    let full = FleetStorm.Event(fault: .diskFull, began: 3, ended: 8, eased: 6.5)
    #expect(full.pause(ledger) == 0.5)
  }

  @Test(
    .computation,
    arguments: [
      (200, #"{"status":"held"}"#, FleetVerdict.decided([.held])),
      (201, #"{"status":"stored"}"#, .decided([.stored])),
      (409, #"{"error":{"code":"conflict"}}"#, .decided([.conflict])),
      (503, "", .again(rest: 2)), (507, "", .again(rest: 2)), (500, "", .again(rest: 2)),
      (200, "{}", .fault("a response with status 200: {}")),
      (401, "", .fault("a response with status 401: ")),
      (422, "", .fault("a response with status 422: ")),
      (413, "", .fault("a response with status 413: ")),
    ])
  func `a response that makes a gateway park a chunk or stop is reported as a fault`(
    status: Int, body: String, verdict: FleetVerdict
  ) {
    let answer = FleetLink.Answer(status: status, body: Array(body.utf8), rest: 2)
    #expect(FleetVerdict(answer, chunks: 1) == verdict)
  }

  @Test(.computation)
  func `a plan of injected faults has every kind of fault, and equal options yield equal plans`()
    throws
  {
    func plan(_ words: String...) throws -> [FleetFault] {
      FleetFault.plan(try FleetOptions(words[...]))
    }
    let plan20 = try plan("--cluster", "--kills", "20", "--seed", "7", "--disk", "/tmp")
    #expect(try plan("--cluster", "--kills", "20", "--seed", "7", "--disk", "/tmp") == plan20)
    #expect(plan20.first == .diskFull)
    let killed: Set<FleetFault> = [.receiverKilled, .primaryKilled, .standbyKilled]
    #expect(plan20.count { killed.contains($0) } == 20)
    #expect(Set(plan20) == Set(FleetFault.allCases))
    #expect(try plan("--kills", "3").filter { $0 == .primaryKilled }.count == 1)
    #expect(try plan("--cluster").isEmpty)
  }
}
