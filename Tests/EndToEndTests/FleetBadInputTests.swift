import Foundation
import Recording
import Storage
import TestSupport
import Testing
import UploadProtocol
import Values

/// A database fault and its effects on a gateway's upload queue. No chunk is lost or parked, and
/// the fault is reported.
@Suite(
  .realTime, .enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
struct FleetBadInputTests {
  private let fleet: FleetPlace

  init() async throws {
    fleet = try await FleetPlace(try Scratch())
  }

  /// A database fault: the SQL that begins it and the SQL that ends it.
  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let begin: [String]
    let end: [String]
    /// The text with which the receiver reports the fault.
    let report: String
    /// Whether the receiver uses a separate database user, which is created with the fault.
    var hasOwnUser = false

    var testDescription: String { name }
  }

  /// Terminates the receivers' database sessions, as a server does when it becomes a standby.
  private static let closing =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'footbridge' "
    + "AND datname = current_database()"
  private static let setting = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET "

  private static let faults = [
    Fault(
      name: "it may only be read, as a standby", status: 503,
      begin: [
        setting + "default_transaction_read_only = on', current_database()); END $$", closing,
      ],
      end: [
        "BEGIN READ WRITE; " + setting
          + "default_transaction_read_only = off', current_database()); END $$; COMMIT"
      ], report: "terminating connection"),
    // A full disk causes this SQL state. The run of `bench fleet --cluster` fills a real disk.
    Fault(
      name: "its disk is full", status: 507,
      begin: [
        """
        CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON chunk EXECUTE FUNCTION full_disk()
        """
      ], end: ["DROP TRIGGER full_disk ON chunk"], report: "No space left on device"),
    Fault(
      name: "a table is gone", status: 503, begin: ["ALTER TABLE chunk RENAME TO kept"],
      end: ["ALTER TABLE kept RENAME TO chunk"], report: "does not exist"),
    Fault(
      name: "its user may only read", status: 503,
      begin: [
        "CREATE ROLE USER LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO USER"
      ], end: ["GRANT footbridge TO USER"], report: "permission denied", hasOwnUser: true),
  ]

  @Test(arguments: faults)
  func `while the database rejects writes, no chunk is parked, and afterwards all chunks arrive`(
    fault: Fault
  ) async throws {
    // Roles apply to the whole database server, which the tests share.
    let user = "u" + String(UInt64.random(in: 0 ... .max), radix: 36)
    func query(_ statements: [String]) async throws {
      for statement in statements {
        try await fleet.query(statement.replacingOccurrences(of: "USER", with: user))
      }
    }
    var world = try UploadStore()
    try world.record(chunks: 20)
    let token = try await fleet.add("walker")
    if fault.hasOwnUser { try await query(fault.begin) }
    let receiver = try await fleet.receiver(as: fault.hasOwnUser ? user : "footbridge")
    if !fault.hasOwnUser { try await query(fault.begin) }
    let added = try await fleet.run(
      store: world.path, "destination", "add", "fleet", "--http",
      "http://127.0.0.1:\(receiver.port)", "--token-file", token.file)
    try #require(added.status == 0, "\(added.errors)")
    let id = try #require(world.chunks[world.sessions[0]]?.first)
    let answer = try receiver.connect().upload(
      "PUT", .chunk(id), try world.bytes(id), fields: [("Authorization", "Bearer \(token.token)")])
    #expect(answer?.status == fault.status, "\(answer?.text ?? "")")
    #expect(answer?.fields["retry-after"] != nil || fault.status == 507)
    #expect(await receiver.program.remarks { $0.contains(fault.report) })
    // An upload during the fault waits and reports the fault, and continues once the fault has
    // ended.
    let upload = try Program(
      Program.footbridge, ["upload", "--store", world.path], environment: fleet.scratch.environment)
    #expect(await upload.remarks { $0.contains("fleet") })
    let reader = try StoreReader(path: world.path)
    let destination = try #require(try reader.destination(named: "fleet"))
    try await query(fault.end)
    let outcome = await upload.wait()
    #expect(outcome.output.contains("1 session complete"), "\(outcome)")
    let counts = try reader.uploadCounts(for: destination)
    #expect(counts.sentChunks.count == 20 && counts.parkedChunks.count == 0)
    if fault.hasOwnUser { try await query(["DROP OWNED BY USER; DROP ROLE USER"]) }
  }

  @Test(arguments: [
    (-1, "footbridge-fleet migrate"), (1_000_000, "use the later release of footbridge"),
  ])
  func `tables from another release stop a receiver at startup, and the error suggests a remedy`(
    difference: Int, remedy: String
  ) async throws {
    try await fleet.query("UPDATE footbridge SET version = version + \(difference)")
    let outcome = try await fleet.tool("receive", "--into", fleet.database)
    #expect(outcome.status == 1, "\(outcome.output)")
    #expect(outcome.errors.contains(remedy), "\(outcome.errors)")
    let listed = try await fleet.tool("list")
    #expect(listed.status == 1 && listed.errors.contains(remedy), "\(listed.errors)")
  }

  @Test func `a receiver reports that its database user does not exist`() async throws {
    let outcome = try await fleet.tool("receive", "--into", fleet.address(as: "stranger"))
    #expect(outcome.status == 1, "\(outcome.output)")
    #expect(
      outcome.errors.contains("role \"stranger\" does not exist")
        && outcome.errors.contains("check the user, password and permissions"), "\(outcome.errors)")
  }
}
