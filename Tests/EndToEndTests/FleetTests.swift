import Foundation
import Recording
import Storage
import TestSupport
import Testing
import UploadProtocol
import Values

/// A fleet as its users see it: receivers that share one PostgreSQL server, and gateways with their
/// own tokens.
@Suite(.realTime, .enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
struct FleetTests {
  private let scratch: Scratch
  private let database: String

  init() async throws {
    scratch = try Scratch()
    database = try await PostgresServer.running().database()
  }

  private func run(store: String = "", _ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(Program.footbridge, arguments, environment: environment(store))
  }

  private func tool(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(Program.fleet, arguments, environment: environment())
  }

  private func environment(_ store: String = "") -> [String: String] {
    scratch.environment.merging([
      "FOOTBRIDGE_DATABASE": database, "FOOTBRIDGE_STORE": store, "no_proxy": "*",
    ]) { $1 }
  }

  private func run(
    _ arguments: [String], of program: String = Program.footbridge
  ) async throws -> Program.Outcome {
    try await Program.run(
      program, arguments, environment: scratch.environment.merging(["no_proxy": "*"]) { $1 })
  }

  /// Adds a gateway or a reader, and returns the file with its token.
  private func add(_ name: String, _ options: String...) async throws -> (
    token: String, file: String
  ) {
    let outcome = try await Program.run(
      Program.fleet,
      ["add", name, "--database", database, "--json"] + options,
      environment: scratch.environment)
    try #require(outcome.status == 0, "\(outcome.errors)")
    let report = try JSONDecoder().decode(JSON.self, from: Data(outcome.output.utf8))
    let token = try #require(report["token"]?.text)
    let file = scratch.path + "/token-\(name)"
    #expect(
      FileManager.default.createFile(
        atPath: file, contents: Data(token.utf8), attributes: [.posixPermissions: 0o600]))
    return (token, file)
  }

  @Test func `gateways may use different receivers, and a revoked gateway needs a new token`()
    async throws
  {
    let early = try await tool("list")
    #expect(early.status == 1 && early.errors.contains("footbridge-fleet migrate"))
    #expect(try await tool("migrate").output == "Created the tables, version 3.\n")
    var worlds = [try UploadStore(), try UploadStore()]
    for index in worlds.indices { try worlds[index].record(chunks: 40) }
    let tokens = [try await add("left"), try await add("right")]
    let reader = try await add("lab", "--reader")
    let receivers = [
      try await ReceiverProgram(
        of: Program.fleet, into: database, environment: scratch.environment),
      try await ReceiverProgram(
        of: Program.fleet, into: database, environment: scratch.environment),
    ]
    for (index, world) in worlds.enumerated() {
      let added = try await run(
        store: world.path, "destination", "add", "fleet", "--http",
        "http://127.0.0.1:\(receivers[index].port)", "--token-file", tokens[index].file)
      #expect(added.status == 0, "\(added.errors)")
      let sent = try await run(store: world.path, "upload")
      #expect(sent.output.contains("1 session complete"), "\(sent.output)\(sent.errors)")
    }
    // A reader can see all sessions on each receiver, but a gateway can see only its own.
    for receiver in receivers {
      let connection = try receiver.connect()
      for world in worlds {
        for id in world.chunks.values.joined() {
          let answer = connection.ask(
            "GET", UploadPath.chunk(id).text, fields: [("Authorization", "Bearer \(reader.token)")])
          #expect(answer?.status == 200)
          #expect(try answer?.body == world.bytes(id))
        }
      }
      let foreign = connection.ask(
        "GET", UploadPath.session(worlds[1].sessions[0]).text,
        fields: [("Authorization", "Bearer \(tokens[0].token)")])
      #expect(foreign?.status == 404)
      let definitions = connection.ask(
        "GET", UploadPath.definitions(gateway: .random()).text,
        fields: [("Authorization", "Bearer \(tokens[0].token)")])
      #expect(definitions?.status == 403)
      let written = connection.upload(
        "PUT", .session(worlds[0].sessions[0]), [],
        fields: [("Authorization", "Bearer \(reader.token)")])
      #expect(written?.status == 403)
      #expect(connection.ask("GET", UploadPath.root.text)?.status == 401)
    }
    let shown = try await tool("show", "left")
    #expect(shown.output.contains("stored: 1 session, 40 chunks, 2,000 samples"), "\(shown.output)")
    // Dates are in local time, like those in the output of `sessions`.
    for (options, zone) in [([], "+02:00"), (["--utc"], "Z")] {
      let dated = try await Program.run(
        Program.fleet, ["show", "left", "--database", database] + options,
        environment: scratch.environment.merging(["TZ": "XXX-02"]) { $1 })
      #expect(
        dated.output.split(separator: "\n").contains {
          $0.hasPrefix("token: valid since ") && $0.hasSuffix(zone)
        }, "\(dated.output)\(dated.errors)")
    }
    // A second walk is rejected after the token is revoked, and is sent with a new token.
    try worlds[0].record(chunks: 3)
    #expect(try await tool("revoke", "left").status == 0)
    let refused = try await run(store: worlds[0].path, "upload")
    #expect(refused.status != 0 && refused.errors.contains("token"), "\(refused.errors)")
    let rotated = try await tool("rotate", "left", "--json")
    let next = try JSONDecoder().decode(JSON.self, from: Data(rotated.output.utf8))
    try Data((next["token"]?.text ?? "").utf8).write(to: URL(fileURLWithPath: tokens[0].file))
    let sent = try await run(store: worlds[0].path, "upload")
    #expect(sent.output.contains("3 chunks"), "\(sent.output)\(sent.errors)")
    let summaries = [try await receivers[0].finish(), try await receivers[1].finish()]
    #expect(summaries.compactMap { $0["chunks"]?.integer }.reduce(0, +) == 83)
    #expect(summaries.allSatisfy { $0["conflicts"]?.integer == 0 && $0["failures"]?.integer == 0 })
  }

  @Test func `a remedy repeats the failed command's options`() async throws {
    let place = ["--database", database]
    let empty = try await run(["migrate"] + place, of: Program.fleet)
    #expect(empty.status == 0)
    let none = try await run(["list"] + place, of: Program.fleet)
    #expect(none.output.contains("'footbridge-fleet add NAME --database \(database)'"))
    #expect(try await run(["add", "walker 7"] + place, of: Program.fleet).status == 0)
    let unknown = try await run(["rotate", "left"] + place, of: Program.fleet)
    #expect(
      unknown.errors.contains("footbridge-fleet list --database \(database)"), "\(unknown.errors)")
    let again = try await run(["add", "walker 7"] + place, of: Program.fleet)
    #expect(
      again.errors.contains("footbridge-fleet rotate 'walker 7' --database \(database)"),
      "\(again.errors)")
    // Values from the environment are not repeated.
    let usual = try await tool("show", "left")
    #expect(usual.errors.contains("footbridge-fleet list\n"), "\(usual.errors)")
    // Passwords are never printed.
    let secret = database.replacingOccurrences(of: "footbridge@", with: "footbridge:hidden@")
    let shown = try await run(["show", "left", "--database", secret], of: Program.fleet)
    #expect(shown.errors.contains("footbridge-fleet list --database ADDRESS"), "\(shown.errors)")
    #expect(!shown.errors.contains("hidden"))
  }

  @Test func `identical sessions from two gateways are kept separate`() async throws {
    #expect(try await tool("migrate").status == 0)
    let store = try await scratch.recordDemo()
    let reader = try await add("lab", "--reader")
    let receiver = try await ReceiverProgram(
      of: Program.fleet, into: database, environment: scratch.environment)
    let address = "http://127.0.0.1:\(receiver.port)"
    // One computer's memory card was copied to the other computer.
    let copy = scratch.path + "/copy.sqlite"
    try FileManager.default.copyItem(atPath: store, toPath: copy)
    for (name, store) in [("left", store), ("right", copy)] {
      let added = try await run(
        store: store, "destination", "add", "fleet", "--http", address, "--token-file",
        try await add(name).file)
      #expect(added.status == 0, "\(added.errors)")
      let sent = try await run(store: store, "upload")
      #expect(sent.output.contains("1 session complete"), "\(sent.output)\(sent.errors)")
    }
    let place = ["--fleet", address, "--token-file", reader.file]
    try await scratch.expectSameExports(["--store", store], place)
    let session = try #require(try StoreReader(path: store).sessions().first?.id)
    let answer = try receiver.connect().ask(
      "GET", UploadPath.session(session).text,
      fields: [("Authorization", "Bearer \(reader.token)")])
    #expect(answer?.status == 409)
    // Each session is listed with its gateway. To select the session, the user must then name the
    // gateway.
    let unnamed = try await run(["show", "\(session)"] + place)
    #expect(unnamed.status == 2 && unnamed.errors.contains("--gateway"), "\(unnamed.errors)")
    let list = try await run(["sessions", "--json"] + place)
    let entries = try JSONDecoder().decode(JSON.self, from: Data(list.output.utf8)).list ?? []
    let gateways = Set(entries.compactMap { $0["gatewayID"]?.text })
    #expect(entries.count == 2 && gateways.count == 2)
    for gateway in gateways {
      let shown = try await run(["show", "\(session)", "--gateway", gateway] + place)
      #expect(shown.status == 0, "\(shown.errors)")
    }
    _ = try await receiver.finish()
  }

  @Test func `an old session is found by its full id, even if the list ends before that session`()
    async throws
  {
    #expect(try await tool("migrate").status == 0)
    let store = try await scratch.recordDemo()
    let reader = try await add("lab", "--reader")
    let receiver = try await ReceiverProgram(
      of: Program.fleet, into: database, environment: scratch.environment)
    let address = "http://127.0.0.1:\(receiver.port)"
    let added = try await run(
      store: store, "destination", "add", "fleet", "--http", address, "--token-file",
      try await add("left").file)
    #expect(added.status == 0, "\(added.errors)")
    let sent = try await run(store: store, "upload")
    #expect(sent.output.contains("1 session complete"), "\(sent.output)\(sent.errors)")
    let session = try #require(try StoreReader(path: store).sessions().first?.id)
    // The same gateway has started 10,000 sessions since then.
    let filled = try await PostgresServer.query(
      database,
      """
      UPDATE session SET start_ns = 1;
      INSERT INTO session (gateway, id, has_record, touched, start_ns)
      SELECT gateway.id, gen_random_uuid(), false, now(), 2
      FROM gateway, generate_series(1, 10000)
      """)
    try #require(filled.status == 0, "\(filled.errors)")
    let place = ["--fleet", address, "--token-file", reader.file]
    let shown = try await run(["show", "\(session)"] + place)
    #expect(shown.status == 0 && shown.output.contains("\(session)"), "\(shown.errors)")
    let short = try await run(["show", "\("\(session)".prefix(8))"] + place)
    #expect(short.status != 0 && short.errors.contains("older sessions are not searched"))
    #expect(short.errors.contains("listed=10000"), "\(short.errors)")
    _ = try await receiver.finish()
  }

  @Test func `a receiver reads a large request body only if it has already verified the token`()
    async throws
  {
    #expect(try await tool("migrate").status == 0)
    let gateway = try await add("left")
    let receiver = try await ReceiverProgram(
      of: Program.fleet, into: database, environment: scratch.environment)
    func send(_ count: Int, _ token: String) throws -> Int? {
      try receiver.connect().upload(
        "POST", .chunks, [UInt8](repeating: 7, count: count),
        fields: [("Authorization", "Bearer \(token)")])?.status
    }
    #expect(try send(300_000, "stranger") == 503)
    #expect(try send(3_000, "stranger") == 401)
    // The server now knows that this token is invalid, so it rejects the request before it checks
    // the body's size.
    #expect(try send(300_000, "stranger") == 401)
    #expect(try send(9 << 20, "stranger") == 401)
    // The first request must be retried, because the server looks up the token between the two
    // requests.
    #expect(try send(300_000, gateway.token) == 503)
    try await wait(for: "the token is known") { try send(300_000, gateway.token) == 422 }
    #expect(try await tool("revoke", "left").status == 0)
    for _ in 0..<2 { #expect(try send(300_000, gateway.token) == 401) }
    _ = try await receiver.finish()
  }

  @Test func `invalid command lines are rejected, and the error suggests a remedy`() async throws {
    let calls = [
      [], ["add"], ["list", "name"], ["revoke", "x", "--reader"],
      ["add", "a\u{1b}[31mb"], ["add", " left"], ["add", "--", "-x"],
      ["add", String(repeating: "a", count: 65)],
      ["add", "x", "--gateway", "zz"], ["list", "--database", "walks.sqlite"],
      ["receive", "--into", database, "--token-file", "token"],
      ["receive", "--into", "walks.sqlite"],
    ]
    for call in calls {
      let outcome = try await Program.run(
        Program.fleet, call,
        environment: scratch.environment.merging(["FOOTBRIDGE_DATABASE": database]) { $1 })
      #expect(outcome.status == 2, "\(call) \(outcome.output)")
      #expect(outcome.errors.contains("\n       "), "\(call) \(outcome.errors)")
    }
    let away = try await tool(
      "list", "--database", "postgres://user:secret@127.0.0.1:1/walks")
    #expect(away.status == 1 && away.errors.contains("cannot reach the fleet's database"))
    #expect(!away.errors.contains("secret"))
    let nameless = try await tool("list", "--database", "postgres://nobody@127.0.0.1:1")
    #expect(!nameless.errors.contains("createdb"), "\(nameless.errors)")
    let former = try await run("fleet", "list")
    #expect(former.status == 2 && former.errors.contains("'footbridge-fleet list'"))
    let gateway = try await run("receive", "--into", database)
    #expect(gateway.status == 2 && gateway.errors.contains("'footbridge-fleet receive --into"))
  }
}
