import Fleet
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

/// A fleet's tables, gateways and tokens in a real PostgreSQL database.
@Suite(.realTime, .enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
struct FleetDatabaseTests {
  private let address: String

  init() async throws {
    address = try await PostgresServer.running().database()
  }

  @Test func `of several concurrent migrations, only one changes the database`() async throws {
    let fleet = try FleetDatabase(address)
    #expect(try fleet.version() == 0)
    let early = #expect(throws: StoreError.self) { try DatabaseIntake(address) }
    #expect(
      early?.remedy.hasSuffix(": footbridge-fleet migrate --database \(address)") == true,
      "\(String(describing: early))")
    let versions = try await withThrowingTaskGroup(of: Int64.self) { [address] group in
      for _ in 0..<6 { group.addTask { try FleetDatabase(address).migrate().before } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(versions.sorted() == [0, 3, 3, 3, 3, 3])
    #expect(try fleet.version() == 3)
  }

  @Test
  func `the remedy for a missing database contains a command that creates it, but no password`()
    async throws
  {
    let missing = address + "x"
    let error = #expect(throws: StoreError.self) { try FleetDatabase(missing) }
    #expect(error?.message.contains("does not exist") == true)
    let remedy = try #require(error?.remedy)
    let start = "correct its name in the address, or create it: createdb "
    try #require(remedy.hasPrefix(start), "\(remedy)")
    let made = try await PostgresServer.run(
      "createdb", remedy.dropFirst(start.count).split(separator: " ").map(String.init))
    #expect(made.status == 0, "\(made.errors)")
    #expect(try FleetDatabase(missing).version() == 0)
    // The password is not shown.
    let secret = missing.replacing("footbridge@", with: "footbridge:wombat@") + "y"
    let hidden = #expect(throws: StoreError.self) { try FleetDatabase(secret) }
    #expect(hidden?.remedy.contains("createdb") == true)
    #expect(hidden?.remedy.contains("wombat") == false)
  }

  @Test func `a database that contains another program's tables is not migrated`() async throws {
    try await PostgresServer.query(address, "CREATE TABLE chunk (number integer)")
    let fleet = try FleetDatabase(address)
    for _ in 0..<2 {
      let error = #expect(throws: StoreError.self) { try fleet.migrate() }
      #expect(error?.remedy.hasPrefix("create an empty database") == true)
    }
  }

  @Test func `a database from a later release is rejected`() async throws {
    let fleet = try FleetDatabase(address)
    _ = try fleet.migrate()
    try await PostgresServer.query(address, "UPDATE footbridge SET version = 99")
    let error = #expect(throws: StoreError.self) { try DatabaseIntake(address) }
    #expect(error?.kind == .newerSchema)
    let refusal = #expect(throws: StoreError.self) { try fleet.migrate() }
    #expect(refusal?.kind == .newerSchema)
  }

  @Test func `if several programs rotate a token concurrently, exactly one new token is valid`()
    async throws
  {
    let fleet = try FleetDatabase(address)
    _ = try fleet.migrate()
    _ = try fleet.add("walker", gateway: .random())
    let added = try fleet.members().first?.made
    let tokens = try await withThrowingTaskGroup(of: String.self) { [address] group in
      for _ in 0..<6 { group.addTask { try FleetDatabase(address).rotate("walker") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let callers = try DatabaseIntake(address).callers(
      withTokens: Set(tokens.map(FleetDatabase.hash)))
    #expect(callers?.count == 1)
    #expect(try fleet.members().map(\.made) == [added])
  }

  @Test func `a token is valid until it is revoked or replaced`() throws {
    let fleet = try FleetDatabase(address)
    _ = try fleet.migrate()
    let intake = try DatabaseIntake(address)
    func caller(_ token: String) throws -> Caller? {
      let hash = FleetDatabase.hash(ofToken: token)
      return try intake.callers(withTokens: [hash])?[hash]
    }
    let gateway = UniqueID.random()
    let token = try fleet.add("walker", gateway: gateway)
    let reader = try fleet.add("lab", gateway: nil)
    #expect(token.utf8.count == 64 && token != reader)
    #expect(try caller(token) == .gateway(gateway))
    #expect(try caller(reader) == .reader)
    #expect(try caller(token + "0") == nil)
    #expect(throws: FleetDatabase.Refusal.nameTaken) {
      try fleet.add("walker", gateway: .random())
    }
    #expect(throws: FleetDatabase.Refusal.gatewayTaken(name: "walker")) {
      try fleet.add("other", gateway: gateway)
    }
    let next = try fleet.rotate("walker")
    #expect(try caller(token) == nil)
    #expect(try caller(next) == .gateway(gateway))
    try fleet.revoke("walker")
    #expect(try caller(next) == nil)
    let members = try fleet.members()
    #expect(members.map(\.name) == ["lab", "walker"])
    #expect(members.map { $0.revoked == nil } == [true, false])
    #expect(members[1].seen != nil && members[1].gateway == gateway)
    #expect(throws: FleetDatabase.Refusal.unknown) { try fleet.rotate("nobody") }
    #expect(try caller(try fleet.rotate("walker")) == .gateway(gateway))
  }

  @Test func `a token is not stored in plain text`() async throws {
    let fleet = try FleetDatabase(address)
    _ = try fleet.migrate()
    let token = try fleet.add("walker", gateway: .random())
    let rows = try await PostgresServer.query(
      address, "SELECT token.*, gateway.* FROM token JOIN gateway ON gateway.id = token.gateway")
    #expect(rows.output.contains("walker") && !rows.output.contains(token))
  }

  @Test func `a read-only database is rejected`() async throws {
    _ = try FleetDatabase(address).migrate()
    let error = #expect(throws: StoreError.self) {
      try FleetDatabase(address + "?options=-c%20default_transaction_read_only%3Don")
    }
    #expect(error?.kind == .busy, "\(error.map { "\($0)" } ?? "")")
  }

  @Test(arguments: [
    (
      "postgres://walks:secret@db1:5432,db2/lab?sslmode=require",
      "postgres://walks@db1:5432,db2/lab"
    ),
    ("postgresql://db1/lab", "postgresql://db1/lab"), ("postgres://a@b", "postgres://a@b"),
    ("postgres://:p@h/d?password=x", "postgres://@h/d"), ("postgres:///d", "postgres:///d"),
  ])
  func `an address is shown without its secrets`(
    _ address: String, _ shown: String
  ) {
    #expect(FleetDatabase.harmless(address) == shown)
  }
}
