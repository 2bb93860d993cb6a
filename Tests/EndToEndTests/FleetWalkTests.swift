import Foundation
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// The walks on a fleet's page, with a real PostgreSQL.
@Suite(
  .realTime, .enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
struct FleetWalkTests {
  private let scratch: Scratch
  private let database: String

  init() async throws {
    scratch = try Scratch()
    database = try await PostgresServer.running().database()
    try await migrate(database)
  }

  private func migrate(_ database: String) async throws {
    let made = try await Program.run(
      Program.fleet, ["migrate", "--database", database])
    try #require(made.status == 0, "\(made.errors)")
  }

  /// Adds a gateway or a reader, and returns the path of the file with its token.
  private func add(
    _ name: String, _ options: String..., to database: String? = nil
  ) async throws -> String {
    let outcome = try await Program.run(
      Program.fleet,
      ["add", name, "--database", database ?? self.database, "--json"] + options,
      environment: scratch.environment)
    let token = try #require(try JSON(parsing: Array(outcome.output.utf8))["token"]?.text)
    let file = scratch.path + "/token-\(name)"
    #expect(
      FileManager.default.createFile(
        atPath: file, contents: Data(token.utf8), attributes: [.posixPermissions: 0o600]))
    return file
  }

  /// The folder for copies of walks.
  private var copies: String { scratch.path + "/copies" }

  private func fleet(_ options: String...) async throws -> FleetPageProgram {
    try await FleetPageProgram(
      into: database, copies: copies, reader: add("reader-\(UUID().uuidString)", "--reader"),
      options, environment: scratch.environment)
  }

  /// Makes a gateway send everything in its store. The token determines the gateway's name.
  private func send(
    _ store: String, as name: String, to fleet: FleetPageProgram, database: String? = nil
  ) async throws {
    let token = try await add(name, to: database)
    let added = try await Program.run(
      Program.footbridge,
      [
        "destination", "add", "fleet", "--http", "http://127.0.0.1:\(fleet.port)", "--token-file",
        token, "--store", store,
      ], environment: scratch.environment)
    try #require(added.status == 0, "\(added.errors)")
    try await sendAgain(store)
  }

  private func sendAgain(_ store: String) async throws {
    let sent = try await Program.run(
      Program.footbridge, ["upload", "--store", store],
      environment: scratch.environment.merging(["no_proxy": "*"]) { $1 })
    try #require(sent.status == 0, "\(sent.output)\(sent.errors)")
  }

  /// Returns the files in the folder for copies.
  private func kept() -> [String] {
    let manager = FileManager.default
    let folders = (try? manager.contentsOfDirectory(atPath: copies)) ?? []
    return folders.flatMap {
      (try? manager.contentsOfDirectory(atPath: "\(copies)/\($0)")) ?? []
    }
  }

  private func sql(_ statement: String) async throws {
    let outcome = try await PostgresServer.query(database, statement)
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  @Test
  func `the page shows a walk with the same data as the commands, and names the walk's gateway`()
    async throws
  {
    let store = try await scratch.recordDemo()
    let fleet = try await fleet()
    try await send(store, as: "walker-07", to: fleet)
    // Without a broker there are no live positions and no live events.
    #expect(try fleet.page.json("access")["live"]?.bool == false)
    let line = try #require(try fleet.page.json("sessions").list?.first)
    let id = try #require(line["session"]?.text.flatMap { UniqueID($0) })
    let gateway = try #require(line["gatewayID"]?.text)
    #expect(line["gatewayName"]?.text == "walker-07")
    try await fleet.expectSame(id, in: scratch.path)
    // Charts and track are identical to those on the gateway's own page.
    let own = try await PageProgram(store, environment: scratch.environment)
    let streams = try own.json("sessions/\(id)")["streams"]?.list ?? []
    #expect(streams.count >= 2)
    for stream in streams {
      let board = try #require(stream["board"]?.text)
      let signal = try #require(stream["signal"]?.text)
      for stretch in ["from=-1&to=60&columns=400", "from=0.5&to=0.75"] {
        let path = "sessions/\(id)/envelope?board=\(board)&signal=\(signal)&\(stretch)"
        let answer = try await fleet.answer(path + "&gateway=\(gateway)")
        #expect(answer.status == 200)
        #expect(try answer.body == own.ask(path).body, "\(signal) \(stretch)")
      }
    }
    for path in ["track", "track?points=3"] {
      #expect(
        try await fleet.answer("sessions/\(id)/\(path)").body
          == own.ask("sessions/\(id)/\(path)").body)
    }
    await fleet.finish()
    #expect(kept() == [])
  }

  @Test
  func `only a walk's gateway can change the walk, and the page shows the change after the upload`()
    async throws
  {
    let store = try await scratch.recordDemo()
    let fleet = try await fleet()
    try await send(store, as: "walker", to: fleet)
    let id = try #require(try StoreReader(path: store).sessions().first?.id)
    let before = try await fleet.answer("sessions/\(id)").text
    let remark = #"{"id":"\#(UniqueID.random())","text":"a gate","at":0.5}"#
    for (path, body) in [
      ("sessions/\(id)/notes", remark), ("sessions/\(id)/edit", #"{"wearer":"P07"}"#),
      ("sessions/\(id)/delete", #"{"confirm":"\#(id)"}"#), ("sessions/current/notes", remark),
      ("recording", #"{"command":"start"}"#),
    ] {
      let answer = try fleet.page.ask(path, post: body)
      #expect(answer.status == 409, "\(path)")
      #expect(answer.text.contains("at the gateway that recorded it"), "\(answer.text)")
    }
    #expect(try await fleet.answer("sessions/\(id)").text == before)
    try await scratch.annotate(store)
    try await sendAgain(store)
    #expect(try await fleet.answer("sessions/\(id)").text != before)
    try await fleet.expectSame(id, in: scratch.path)
    #expect(kept().count == 1)
    await fleet.finish()
  }

  @Test func `a walk with missing chunks is shown in part, and completely once they have arrived`()
    async throws
  {
    var store = try UploadStore()
    try store.record(chunks: 40)
    let fleet = try await fleet()
    try await send(store.path, as: "walker", to: fleet)
    let id = store.sessions[0]
    let chunks = try #require(store.chunks[id])
    let lost = "gateway IS NOT NULL AND id IN ('\(chunks[7])', '\(chunks[8])')"
    try await sql("CREATE TABLE aside AS SELECT * FROM chunk WHERE \(lost)")
    try await sql("DELETE FROM chunk WHERE \(lost)")
    #expect(try fleet.page.json("sessions").list?.first?["missingChunks"]?.integer == 2)
    try await fleet.expectSame(id, ending: 5, in: scratch.path)
    let lacking = try fleet.page.download("sessions/\(id)/export?format=csv")
    try await sql("INSERT INTO chunk SELECT * FROM aside")
    try await fleet.expectSame(id, in: scratch.path)
    #expect(try fleet.page.download("sessions/\(id)/export?format=csv").count > lacking.count)
    // The list must appear even if a record is unreadable.
    try await sql("UPDATE record SET content = '{'")
    let unread = try #require(try fleet.page.json("sessions").list?.first)
    #expect(unread["ended"]?.text == "its record is damaged")
    let listed = try await fleet.run("sessions", "--json")
    #expect(listed.status == 5 && listed.errors.contains("event=unreadable session=\(id) "))
    #expect(listed.output.contains(#""ended":"its record cannot be read""#), "\(listed)")
    // The record of a walk is sent last.
    try await sql("DELETE FROM record; UPDATE session SET has_record = false")
    let arriving = try fleet.page.ask("sessions/\(id)")
    #expect(arriving.status == 409 && arriving.text.contains("still being uploaded"))
    let nothing = try fleet.page.ask("sessions/\(UniqueID.random())")
    #expect(nothing.status == 404 && nothing.text.contains("in the fleet"))
    await fleet.finish()
  }

  @Test func `identical walks from two gateways are kept separate`() async throws {
    let store = try await scratch.recordDemo()
    let other = scratch.path + "/copy.sqlite"
    try FileManager.default.copyItem(atPath: store, toPath: other)
    try await scratch.annotate(other)
    let fleet = try await fleet()
    try await send(store, as: "left", to: fleet)
    try await send(other, as: "right", to: fleet)
    let id = try #require(try StoreReader(path: store).sessions().first?.id)
    let unnamed = try fleet.page.ask("sessions/\(id)")
    #expect(unnamed.status == 409 && unnamed.text.contains("?gateway=ID"), "\(unnamed.text)")
    var texts: Set<String> = []
    for line in try fleet.page.json("sessions").list ?? [] {
      let gateway = try #require(line["gatewayID"]?.text)
      let shown = try await fleet.run("show", "\(id)", "--json", "--gateway", gateway)
      let told = try await fleet.answer("sessions/\(id)?gateway=\(gateway)").text
      #expect(FleetPageProgram.asShown(told) == shown.output)
      texts.insert(told)
    }
    #expect(texts.count == 2)
    #expect(try fleet.page.ask("sessions/\(id)?gateway=left").status == 400)
    await fleet.finish()
  }

  @Test func `only a missing or damaged piece of a track is omitted, and the omission is reported`()
    async throws
  {
    var store = try UploadStore()
    try store.record(chunks: 4, fixes: 4_100)
    let fleet = try await fleet()
    try await send(store.path, as: "walker", to: fleet)
    let id = store.sessions[0]
    func counts() async throws -> (missing: Int?, fixes: Int?) {
      let told = try await fleet.answer("sessions/\(id)")
      let track = try await fleet.answer("sessions/\(id)/track?points=9000")
      return (
        try JSON(parsing: told.body)["missingFixes"]?.integer,
        try JSON(parsing: track.body)["fixes"]?.list?.count
      )
    }
    #expect(try await counts() == (nil, 4_100))
    try await sql("DELETE FROM track WHERE first = 2000")
    #expect(try await counts() == (2_000, 2_100))
    for arguments in [
      ["show"], ["export", "--format", "gpx", "--output", scratch.path + "/w.gpx"],
    ] {
      let outcome = try await fleet.run([arguments[0], "\(id)"] + arguments.dropFirst())
      #expect(outcome.status == 5, "\(outcome.errors)")
      #expect(outcome.errors.contains("event=missing fixes=2000 from=2000 reason="))
    }
    let points = try String(contentsOfFile: scratch.path + "/w.gpx", encoding: .utf8)
    #expect(points.split(separator: "<trkpt").count == 2_101)
    try await sql(#"UPDATE track SET content = '\xdead', fixes = 1 WHERE first = 0"#)
    #expect(try await counts() == (4_000, 100))
    let shown = try await fleet.run(["show", "\(id)"])
    #expect(shown.status == 5 && shown.errors.contains("fixes=2000 from=0"), "\(shown.errors)")
    // A record may claim more fixes than exist. No request may ask for all of them.
    try await sql(
      """
      UPDATE record SET content = convert_to(
        replace(convert_from(content, 'UTF8'), '"fixCount":4100', '"fixCount":2000000000'), 'UTF8')
      """)
    #expect(try await counts() == (1_999_999_900, 100))
    let liar = try await fleet.run(["show", "\(id)"])
    #expect(liar.status == 5 && liar.errors.contains("event=missing fixes="), "\(liar.errors)")
    #expect(liar.output.contains("100"), "\(liar.output)")
    // A record stored in the row of another session is treated as damaged.
    try await sql(
      """
      UPDATE record SET content = convert_to(
        replace(convert_from(content, 'UTF8'), '\(id)', '\(UniqueID.random())') || ' ', 'UTF8')
      """)
    let unread = try #require(try fleet.page.json("sessions").list?.first)
    #expect(unread["session"]?.text == "\(id)" && unread["ended"]?.text == "its record is damaged")
    #expect(try await fleet.answer("sessions/\(id)").status == 500)
    await fleet.finish()
  }

  @Test func `deleted copies of walks are created again`() async throws {
    var store = try UploadStore()
    try store.record(chunks: 4)
    let fleet = try await fleet()
    try await send(store.path, as: "walker", to: fleet)
    let id = store.sessions[0]
    let folders = {
      try FileManager.default.contentsOfDirectory(atPath: fleet.folder)
        .filter { $0.hasPrefix("footbridge-walks") }.map { fleet.folder + "/" + $0 }
    }
    // The receiver may still be closing the files of a copy, so files may disappear while the test
    // removes the folder.
    func clean(_ path: String) async {
      let isClean = await happens {
        try? FileManager.default.removeItem(atPath: path)
        return !FileManager.default.fileExists(atPath: path)
      }
      #expect(isClean, "\(path)")
    }
    for _ in 0..<2 {
      #expect(try await fleet.answer("sessions/\(id)").status == 200)
      for copy in try FileManager.default.contentsOfDirectory(atPath: folders()[0]) {
        try await clean(folders()[0] + "/" + copy)
      }
      #expect(try await fleet.answer("sessions/\(id)").status == 200)
      for folder in try folders() { await clean(folder) }
    }
    #expect(try await fleet.answer("sessions/\(id)").status == 200)
    await fleet.finish()
  }

  @Test func `phones that open a long walk at the same time see its progress and share one copy`()
    async throws
  {
    var store = try UploadStore()
    try store.record(chunks: 4_000, samples: 200)
    try store.record(chunks: 3)
    let fleet = try await fleet()
    try await send(store.path, as: "walker", to: fleet)
    let (long, short) = (store.sessions[0], store.sessions[1])
    let phones = try (0..<4).map { _ in try fleet.page.connect("sessions/\(long)") }
    // Other requests are answered in the meantime.
    #expect(try await fleet.answer("sessions/\(short)").status == 200)
    #expect(try fleet.page.json("sessions").list?.count == 2)
    #expect(kept().count == 2)
    for phone in phones {
      let answer = try #require(phone.answer())
      guard answer.status != 200 else { continue }
      #expect(answer.status == 503 && answer.fields["retry-after"] == "1")
      #expect(answer.text.contains(" of 4,000 chunks"), "\(answer.text)")
    }
    #expect(try await fleet.answer("sessions/\(long)").status == 200)
    #expect(kept().count == 2)
    await fleet.finish()
  }

  @Test func `the number of copies is limited, and no copy remains after the receiver has exited`()
    async throws
  {
    var store = try UploadStore()
    for _ in 0..<12 { try store.record(chunks: 3) }
    var fleet = try await fleet()
    try await send(store.path, as: "walker", to: fleet)
    for id in store.sessions + store.sessions.prefix(2) {
      #expect(try await fleet.answer("sessions/\(id)").status == 200)
    }
    #expect(kept().count == 8)
    await fleet.finish()
    #expect(try FileManager.default.contentsOfDirectory(atPath: copies) == [])
    // When the next receiver opens its first walk, it removes the files of the killed receiver.
    fleet = try await self.fleet()
    try FileManager.default.removeItem(atPath: copies)
    let nowhere = try fleet.page.ask("sessions/\(store.sessions[0])")
    #expect(nowhere.status == 507 && nowhere.text.contains("TMPDIR"), "\(nowhere.text)")
    try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
    #expect(try await fleet.answer("sessions/\(store.sessions[0])").status == 200)
    fleet.page.program.signal(SIGKILL)
    _ = await fleet.page.program.wait()
    #expect(kept().count == 1)
    fleet = try await self.fleet()
    #expect(try await fleet.answer("sessions/\(store.sessions[1])").status == 200)
    #expect(kept().count == 1)
    await fleet.finish()
    #expect(kept() == [])
  }

  @Test func `an unreachable database is reported, and walks reappear when the database returns`()
    async throws
  {
    let server = try await PostgresServer()
    let database = try await server.database()
    try await migrate(database)
    var store = try UploadStore()
    for _ in 0..<2 { try store.record(chunks: 5) }
    let fleet = try await FleetPageProgram(
      into: database, copies: copies, reader: add("reader", "--reader", to: database),
      environment: scratch.environment)
    try await send(store.path, as: "walker", to: fleet, database: database)
    let gateway = try #require(
      try fleet.page.json("sessions").list?.first?["gatewayID"]?.text)
    let path = "sessions/\(store.sessions[0])"
    #expect(try await fleet.answer(path).status == 200)
    // A database that hangs is reported after the timeout.
    server.freeze()
    #expect(try fleet.page.ask("sessions").status == 503)
    #expect(try fleet.page.ask("\(path)/export?format=gpx&gateway=\(gateway)").status == 200)
    server.thaw()
    try await wait(for: "the list") { try fleet.page.ask("sessions").status == 200 }
    await server.kill()
    for path in ["sessions", path, "sessions/\(store.sessions[1])"] {
      let answer = try fleet.page.ask(path)
      #expect(answer.status == 503 && answer.text.contains("check that the database is running"))
      #expect(answer.fields["retry-after"] == "2", "\(path)")
    }
    // A walk that is already open can still be viewed.
    #expect(try fleet.page.ask("\(path)/track?gateway=\(gateway)").status == 200)
    #expect(try fleet.page.ask("\(path)/track").status == 200)
    try await server.start()
    for id in store.sessions {
      #expect(try await fleet.answer("sessions/\(id)").status == 200)
    }
    await fleet.finish()
    await server.kill()
  }
}
