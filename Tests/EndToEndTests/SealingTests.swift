import Foundation
import Recording
import Storage
import TestSupport
import Testing
import UploadProtocol
import Values

/// Receivers that are killed while they are moving a fleet's sessions into an S3 service.
@Suite(
  .realTime, .enabled(if: PostgresServer.isInstalled, PostgresServer.absence),
  .enabled(if: S3Server.isInstalled, S3Server.absence))
struct SealingTests {
  private let scratch: Scratch
  private let database: String
  private let service: S3Server
  private let front: FaultServer
  private let objects: String

  init() async throws {
    scratch = try Scratch()
    database = try await PostgresServer.running().database()
    service = try await S3Server.running()
    var options = FaultServer.Options()
    options.upstream = service.url
    front = try await FaultServer.start([], options)
    objects = front.url() + S3Server.newPlace()
  }

  private var environment: [String: String] {
    scratch.environment.merging([
      "FOOTBRIDGE_DATABASE": database, "no_proxy": "*", "AWS_ACCESS_KEY_ID": service.key,
      "AWS_SECRET_ACCESS_KEY": service.secret,
    ]) { $1 }
  }

  private func tool(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(Program.fleet, arguments, environment: environment)
  }

  private func run(_ arguments: String..., store: String = "") async throws -> Program.Outcome {
    try await Program.run(
      Program.footbridge, arguments,
      environment: environment.merging(["FOOTBRIDGE_STORE": store]) { $1 })
  }

  private func receiver(_ minutes: String = "0.001") async throws -> ReceiverProgram {
    try await ReceiverProgram(
      of: Program.fleet, into: database, "--objects", objects, "--seal-after", minutes,
      environment: environment)
  }

  private func ask(_ sql: String) async throws -> String {
    let outcome = try await PostgresServer.query(database, sql)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return outcome.output.split(separator: "\n").joined(separator: " ")
  }

  /// Creates a gateway with some sessions, all stored in the fleet. Returns the gateway with its
  /// token.
  private func gateway(
    _ sessions: Int, chunks: Int
  ) async throws -> (store: UploadStore, token: String) {
    #expect(try await tool("migrate").status == 0)
    let added = try await tool("add", "walker", "--json")
    let token = try #require(
      try JSONDecoder().decode(JSON.self, from: Data(added.output.utf8))["token"]?.text)
    let file = scratch.path + "/token"
    #expect(
      FileManager.default.createFile(
        atPath: file, contents: Data(token.utf8), attributes: [.posixPermissions: 0o600]))
    var store = try UploadStore()
    for _ in 0..<sessions { try store.record(chunks: chunks) }
    // This receiver's sealing delay is so long that nothing is sealed during the test.
    let receiver = try await receiver("1000")
    let place = try await run(
      "destination", "add", "fleet", "--http", "http://127.0.0.1:\(receiver.port)",
      "--token-file", file, store: store.path)
    #expect(place.status == 0, "\(place.errors)")
    let sent = try await run("upload", store: store.path)
    #expect(sent.output.contains("\(sessions) sessions complete"), "\(sent.output)\(sent.errors)")
    _ = try await receiver.finish()
    return (store, token)
  }

  private func expectAll(
    of store: UploadStore, _ token: String, from receiver: ReceiverProgram
  ) throws {
    let connection = try receiver.connect()
    for id in store.chunks.values.joined() {
      let answer = connection.ask(
        "GET", UploadPath.chunk(id).text, fields: [("Authorization", "Bearer \(token)")])
      #expect(answer?.status == 200)
      #expect(try answer?.body == store.bytes(id))
    }
  }

  @Test func `if receivers are killed while sealing, the next one still has every chunk`()
    async throws
  {
    let seed = UInt64.random(in: 0...999_999)
    var generator = SeededGenerator(seed: seed)
    let (store, token) = try await gateway(8, chunks: 250)
    let isSealed = "SELECT count(*) FROM session WHERE NOT open"
    var kills = 0
    while kills < 8, try await ask(isSealed) != "8" {
      let receiver = try await receiver()
      let rest = Double.random(in: 0...0.3, using: &generator)
      _ = await happens(within: rest) { false }
      await receiver.kill()
      kills += 1
      // Cuts the one-minute wait short.
      _ = try await ask("UPDATE sealing SET ends = now()")
    }
    let last = try await receiver()
    try await wait(for: "all sessions are sealed, seed \(seed)") {
      try await ask(isSealed) == "8"
    }
    let today = try await ask("SELECT DISTINCT day FROM chunk")
    _ = try await ask(
      "UPDATE chunk SET day = 20200101; ALTER TABLE body_\(today) RENAME TO body_20200101")
    try await wait(for: "the table is dropped") {
      try await ask(
        "SELECT count(*) FROM information_schema.tables WHERE table_name LIKE 'body!_%' ESCAPE '!'"
      ) == "0"
    }
    try expectAll(of: store, token, from: last)
    let writes = await front.requests.filter { $0.method == "PUT" }
    // At 250 chunks per session, a million chunks become 4,000 objects.
    #expect(writes.count { $0.status == 200 } == 8, "seed \(seed)")
    #expect(writes.count <= 8 + kills, "seed \(seed)")
    let shown = try await tool("show", "walker")
    #expect(shown.output.contains("sealed: 8 sessions in 8 objects"), "\(shown.output)")
    let outcome = try await last.finish()
    #expect(outcome["failures"]?.integer == 0)
  }

  @Test func `a sealed walk is shown on the page, and an unreachable S3 service is reported`()
    async throws
  {
    let (store, _) = try await gateway(2, chunks: 40)
    let added = try await tool("add", "office", "--reader", "--json")
    let reader = scratch.path + "/reader"
    let token = try #require(try JSON(parsing: Array(added.output.utf8))["token"]?.text)
    #expect(
      FileManager.default.createFile(
        atPath: reader, contents: Data(token.utf8), attributes: [.posixPermissions: 0o600]))
    func page(_ options: String...) async throws -> FleetPageProgram {
      try await FleetPageProgram(
        into: database, copies: scratch.path + "/copies", reader: reader, options,
        environment: environment)
    }
    var fleet = try await page("--objects", objects, "--seal-after", "0.001")
    try await wait(for: "all sessions are sealed") {
      try await ask("SELECT count(*) FROM session WHERE NOT open") == "2"
    }
    try await fleet.expectSame(store.sessions[0], in: scratch.path)
    await front.stop()
    let away = try fleet.page.ask("sessions/\(store.sessions[1])")
    #expect(away.status == 503 && away.text.contains("cannot read chunk"), "\(away.text)")
    // Other requests succeed, because the database works.
    #expect(try fleet.page.json("sessions").list?.count == 2)
    #expect(try fleet.page.ask("sessions/\(store.sessions[0])").status == 200)
    await fleet.finish()
    fleet = try await page()
    let told = try fleet.page.ask("sessions/\(store.sessions[1])")
    #expect(told.status == 503 && told.text.contains("'--objects'"), "\(told.text)")
    await fleet.finish()
  }

  @Test func `without the S3 service, sealed chunks cannot be read, but new ones are accepted`()
    async throws
  {
    var (store, token) = try await gateway(2, chunks: 20)
    let receiver = try await receiver()
    #expect(await receiver.program.remarks(2) { $0.contains("sealed") && $0.contains("seconds=") })
    try expectAll(of: store, token, from: receiver)
    await front.stop()
    let id = try #require(store.chunks.values.first?.first)
    let connection = try receiver.connect()
    let answer = connection.ask(
      "GET", UploadPath.chunk(id).text, fields: [("Authorization", "Bearer \(token)")])
    #expect(answer?.status == 503)
    #expect(answer?.text.contains("cannot read chunk \(id)") == true)
    // The destination has a new address, so the gateway sends the sealed chunks again. The receiver
    // replies that it already has them.
    try store.record(chunks: 5)
    let place = try await run(
      "destination", "add", "again", "--http", "http://127.0.0.1:\(receiver.port)",
      "--token-file", scratch.path + "/token", store: store.path)
    #expect(place.status == 0)
    let sent = try await run("upload", "--destination", "again", store: store.path)
    #expect(sent.output.contains("3 sessions complete"), "\(sent.output)\(sent.errors)")
    #expect(
      await receiver.program.remarks { $0.contains("not sealed") && $0.contains("remedy=") })
    let outcome = try await receiver.finish()
    #expect(outcome["chunks"]?.integer == 5 && outcome["held"]?.integer == 40)
  }

  @Test func `the error for an unusable bucket suggests a remedy`() async throws {
    for (arguments, words) in [
      (
        ["--into", "walks.sqlite", "--objects", "https://s3.example.org/walks"],
        "is not a database address"
      ),
      (["--into", database, "--objects", "s3.example.org/walks"], "is not a bucket address"),
      (["--into", database, "--objects", "http://s3.example.org/walks"], "not encrypted"),
      (["--into", database, "--objects", "https://s3.example.org"], "a usable bucket"),
      (["--into", database, "--objects-region", "eu"], "need '--objects'"),
      (["--into", database, "--objects", "https://s3.example.org/walks"], "the bucket's key"),
    ] {
      let outcome = try await Program.run(
        Program.fleet, ["receive"] + arguments, environment: scratch.environment)
      #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome.errors)")
      #expect(outcome.errors.contains("\n       "))
    }
    let file = scratch.path + "/key"
    let key = "aws_access_key_id = a\naws_secret_access_key = hidden\n"
    #expect(
      FileManager.default.createFile(
        atPath: file, contents: Data(key.utf8), attributes: [.posixPermissions: 0o644]))
    let outcome = try await Program.run(
      Program.fleet,
      [
        "receive", "--into", database, "--objects", "https://s3.example.org/walks",
        "--objects-key-file", file,
      ], environment: scratch.environment)
    #expect(outcome.status == 1 && outcome.errors.contains("chmod 600"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("hidden"))
  }
}
