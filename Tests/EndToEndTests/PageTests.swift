import Foundation
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// `footbridge web`: the page of a store, and the HTTP interface that the page uses.
@Suite(.realTime) struct PageTests {
  private let scratch: Scratch
  private let store: String

  init() async throws {
    scratch = try Scratch()
    store = try await scratch.recordDemo()
  }

  private func run(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(
      Program.footbridge, arguments + ["--store", store], environment: scratch.environment)
  }

  private func printed(_ arguments: [String]) async throws -> JSON {
    let outcome = try await Program.run(
      Program.footbridge, arguments + ["--store", store], environment: scratch.environment)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try JSON(parsing: Array(outcome.output.utf8))
  }

  @Test func `the page receives the commands' JSON output and, byte for byte, their exports`()
    async throws
  {
    let page = try await PageProgram(store, environment: scratch.environment)
    #expect(try await page.json("sessions") == printed(["sessions", "--json"]))
    #expect(try await page.json("definitions") == printed(["definitions", "--json"]))
    #expect(try await page.json("sessions?newest=1") == printed(["sessions", "--json"]))
    let id = try #require(try page.json("sessions").list?.first?["session"]?.text)
    #expect(try await page.json("sessions/\(id)") == printed(["show", "last", "--json"]))
    for format in try page.json("formats")["formats"]?.list?.compactMap({ $0["name"]?.text }) ?? []
    {
      let file = scratch.path + "/walk.\(format)"
      let outcome = try await run("export", "last", "--format", format, "--output", file)
      try #require(outcome.status == 0, "\(outcome.errors)")
      let found = try page.download("sessions/\(id)/export?format=\(format)")
      let isSame = try found == Array(Data(contentsOf: URL(filePath: file)))
      #expect(isSame, "\(format)")
    }
    #expect(try page.ask("sessions/\(id)/export?format=exe").status == 400)
    let track = try page.json("sessions/\(id)/track?points=3")["fixes"]?.list ?? []
    #expect((2...3).contains(track.count) && track.first?.list?.count == 5)
  }

  @Test func `a chart has the same minimum and maximum as the exported samples`()
    async throws
  {
    let page = try await PageProgram(store, environment: scratch.environment)
    let session = try #require(try page.json("sessions").list?.first)
    let id = try #require(session["session"]?.text)
    let streams = try page.json("sessions/\(id)")["streams"]?.list ?? []
    let stream = try #require(streams.first { $0["signal"]?.text == "acceleration" })
    let board = try #require(stream["board"]?.text)
    let rows = try page.download("sessions/\(id)/export?format=jsonl").split(separator: 10)
    let samples = try rows.map { try JSON(parsing: Array($0)) }.filter {
      $0["board"]?.text == board && $0["signal"]?.text == "acceleration"
    }
    try #require(samples.count > 100)
    let values = samples.compactMap { $0["values"]?["x"]?.number }
    try #require(values.count == samples.count, "\(samples[0])")
    let found = try page.json(
      "sessions/\(id)/envelope?board=\(board)&signal=acceleration&from=-1&to=60&columns=40")
    let columns = found["columns"]?.list ?? []
    #expect(columns.count == 40 && found["unit"]?.text == "g")
    let ranges = columns.compactMap(\.list)
    // Exported values have six decimals and are rounded half to even, as in this code: 2.5390625
    // becomes 2.539062.
    func exported(_ value: Double?) throws -> String { String(format: "%.6f", try #require(value)) }
    #expect(
      try exported(ranges.compactMap { $0[0].number }.min()) == exported(values.min())
        && exported(ranges.compactMap { $0[1].number }.max()) == exported(values.max()))
    #expect(
      try page.ask("sessions/\(id)/envelope?board=\(board)&signal=nothing&from=0&to=1").status
        == 404)
  }

  @Test func `when walks are listed, their charts are prepared`() async throws {
    let page = try await PageProgram(store, environment: scratch.environment)
    let file = store + "-envelopes"
    #expect(!FileManager.default.fileExists(atPath: file))
    _ = try page.json("sessions?newest=1")
    // The file is replaced while the test reads it, so it may briefly be missing.
    let outcome = try await Program.run(
      "/usr/bin/python3",
      [
        "-c",
        """
        import sqlite3, sys, time
        chunks = {row[0] for row in sqlite3.connect(sys.argv[1]).execute("SELECT id FROM chunk")}
        ready, end = set(), time.monotonic() + 100
        while not (chunks and chunks <= ready) and time.monotonic() < end:
            time.sleep(0.1)
            try:
                file = sqlite3.connect(f"file:{sys.argv[2]}?mode=ro", uri=True)
                ready = {row[0] for row in file.execute("SELECT id FROM summary")}
            except sqlite3.Error:
                pass
        print(len(chunks), len(chunks - ready))
        """, store, file,
      ])
    let counts = outcome.output.split(separator: " ").compactMap {
      Int($0.trimmingCharacters(in: .newlines))
    }
    #expect(counts.first ?? 0 > 0 && counts.last == 0, "\(outcome)")
  }

  @Test func `a request that a phone repeats is stored once`() async throws {
    let page = try await PageProgram(store, environment: scratch.environment)
    let id = try #require(try page.json("sessions").list?.first?["session"]?.text)
    let report =
      #"{"id":"5d3c0f4e8a514d0c9a630c1f2e3d4b5a","name":"Slope","intensity":3,"at":0.5}"#
    for _ in 0..<3 {
      let hazards = try page.json("sessions/\(id)/hazards", post: report)["hazards"]?.list ?? []
      #expect(hazards.count { $0["name"]?.text == "Slope" } == 1)
    }
    let note = #"{"id":"9f8e7d6c5b4a439281706f5e4d3c2b1a","text":"a gate","at":0.25}"#
    for _ in 0..<3 { _ = try page.json("sessions/\(id)/notes", post: note) }
    let session = try page.json("sessions/\(id)")
    let events = session["events"]?.list ?? []
    #expect(events.count { $0["text"]?.text?.contains("Slope") ?? false } == 1)
    let notes = session["annotations"]?.list ?? []
    #expect(notes.filter { $0["text"]?.text == "a gate" }.map { $0["seconds"]?.number } == [0.25])
    // No recording is running.
    #expect(try page.ask("sessions/current/hazards", post: report).status == 409)
    #expect(try page.ask("recording", post: #"{"command":"start"}"#).status == 409)
  }

  @Test func `a note is corrected or removed, while the session's events keep its former text`()
    async throws
  {
    let page = try await PageProgram(store, environment: scratch.environment)
    let id = try #require(try page.json("sessions").list?.first?["session"]?.text)
    func note(_ text: String, _ former: String? = nil, id note: UniqueID) throws -> [String?] {
      let former = former.map { #","insteadOf":"\#($0)""# } ?? ""
      let body = #"{"id":"\#(note)","text":"\#(text)","at":0.25\#(former)}"#
      return (try page.json("sessions/\(id)/notes", post: body)["annotations"]?.list ?? [])
        .map { $0["text"]?.text }
    }
    let before = try page.json("sessions/\(id)")["annotations"]?.list?.count ?? 0
    #expect(try note("a gat", id: .random()).contains("a gat"))
    let correction = UniqueID.random()
    for _ in 0..<3 {
      let texts = try note("a gate", "a gat", id: correction)
      #expect(texts.contains("a gate") && !texts.contains("a gat"))
    }
    let late = try page.ask(
      "sessions/\(id)/notes",
      post: #"{"id":"\#(UniqueID.random())","text":"x","at":0.25,"insteadOf":"a gat"}"#)
    #expect(late.status == 409 && late.text.contains("has changed since the page showed it"))
    #expect(try note("", "a gate", id: .random()).count == before)
    let events = try page.json("sessions/\(id)")["events"]?.list ?? []
    #expect(
      events.filter { $0["kind"]?.text == "edited" }.map { $0["text"]?.text } == [
        "annotation changed from 'a gat' to 'a gate'", "annotation 'a gate' removed",
      ])
  }

  @Test func `a file that is not a map is reported, and the page works without a map`() async throws
  {
    let file = scratch.path + "/town.mbtiles"
    try Data("no map".utf8).write(to: URL(filePath: file))
    let page = try await PageProgram(
      store, role: "operate", "--tiles", file, environment: scratch.environment)
    #expect(await page.program.remarks { $0.contains(#"event="no map""#) && $0.contains(file) })
    #expect(try page.ask("access").status == 200)
  }

  @Test func `a hazard with a time outside the walk is not stored in the walk`() async throws {
    let page = try await PageProgram(store, environment: scratch.environment)
    let session = try #require(try page.json("sessions").list?.first)
    let id = try #require(session["session"]?.text)
    let seconds = try #require(session["seconds"]?.number)
    for time in [#""ago":86400"#, #""at":\#(seconds + 60)"#] {
      let report = #"{"id":"\#(UniqueID.random())","name":"Gate","intensity":1,\#(time)}"#
      let answer = try page.ask("sessions/\(id)/hazards", post: report)
      #expect(answer.status == 409, "\(time): \(answer.text)")
    }
    let report = #"{"id":"\#(UniqueID.random())","name":" Gate ","intensity":1,"at":\#(seconds)}"#
    let hazards = try page.json("sessions/\(id)/hazards", post: report)["hazards"]?.list ?? []
    #expect(hazards.count { $0["name"]?.text == "Gate" } == 1)
  }

  /// Reports a slope as a hazard, and returns the hazard as the page then shows it.
  private func slope(
    _ intensity: Int, _ time: String, of session: Session, on page: PageProgram
  ) throws -> JSON {
    let body = #"{"id":"\#(UniqueID.random())","name":"Slope","intensity":\#(intensity),\#(time)}"#
    let hazards = try page.json("sessions/\(session.id)/hazards", post: body)["hazards"]?.list
    return try #require(hazards?.first { $0["name"]?.text == "Slope" })
  }

  @Test func `a hazard that a phone sends after the walk has the time of the tap`() async throws {
    let page = try await PageProgram(store, environment: scratch.environment)
    let session = try #require(try StoreReader(path: store).sessions().last)
    func report(_ time: String, _ intensity: Int) throws -> JSON {
      try slope(intensity, time, of: session, on: page)
    }
    #expect(try report(#""at":0.25"#, 3)["seconds"]?.number == 0.25)
    let tapped = BootClock.now()
    let ago = tapped.seconds(since: session.start) - 1
    let found = try report(#""ago":\#(ago)"#, 1)
    let delay = BootClock.now().seconds(since: tapped)
    #expect(found["intensity"]?.integer == 1)
    #expect((0.99...1.01 + delay).contains(found["seconds"]?.number ?? 0), "\(found), \(delay) s")
  }

  @Test func `a tap that arrives late does not override a hazard reported after it`() async throws {
    let page = try await PageProgram(store, environment: scratch.environment)
    let session = try #require(try StoreReader(path: store).sessions().last)
    func report(_ time: String, _ intensity: Int) throws -> JSON {
      try slope(intensity, time, of: session, on: page)
    }
    #expect(try report(#""at":1"#, 3)["intensity"]?.integer == 3)
    let boot = try BootClock.bootID()
    // The tap was half a second after the start of the walk, but its request is read only now.
    let sent = Double(session.start.nanoseconds) / 1e9 + 0.5
    let late = try report(#""ago":0.25,"sent":{"boot":"\#(boot)","seconds":\#(sent)}"#, 1)
    #expect(late["intensity"]?.integer == 3 && late["seconds"]?.number == 1)
    let events = try StoreReader(path: store).events(of: session.id)
    let told = events.filter { $0.text == "Slope" }.map { $0.time.seconds(since: session.start) }
    #expect(told.map { ($0 * 1_000).rounded() } == [1_000, 250])
    // A correction after the walk names its time explicitly, so it takes effect.
    #expect(try report(#""at":0.5"#, 2)["intensity"]?.integer == 2)
  }

  @Test func `a walk can be corrected, and is deleted only if its id is confirmed`() async throws {
    let page = try await PageProgram(store, environment: scratch.environment)
    let id = try #require(try page.json("sessions").list?.first?["session"]?.text)
    _ = try page.json("sessions/\(id)/edit", post: #"{"wearer":"P07","note":"left knee"}"#)
    let shown = try await printed(["show", "last", "--json"])
    #expect(shown["wearer"]?.text == "P07" && shown["note"]?.text == "left knee")
    _ = try page.json("sessions/\(id)/edit", post: #"{"participant":"P08"}"#)
    let listed = try page.json("sessions").list?.first
    #expect(listed?["participant"]?["id"]?.text == "P08" && listed?["wearer"]?.text == "P07")
    #expect(try page.ask("sessions/\(id)/edit", post: #"{"participant":"-"}"#).status == 400)
    let strangers = #"{"swap":["C8:4B:AA:00:00:01","C8:4B:AA:00:00:02"]}"#
    #expect(try page.ask("sessions/\(id)/edit", post: strangers).status == 400)
    #expect(try page.ask("sessions/\(id)/delete", post: #"{"confirm":"yes"}"#).status == 400)
    _ = try page.json("sessions/\(id)/delete", post: #"{"confirm":"\#(id)"}"#)
    #expect(try page.json("sessions").list == [])
    #expect(try page.ask("sessions/\(id)").status == 404)
  }

  @Test func `paired phones are listed and revoked by commands`() async throws {
    let page = try await PageProgram(store, role: "look", environment: scratch.environment)
    let list = try await printed(["web", "list", "--json"]).list ?? []
    #expect(list.map { $0["name"]?.text } == ["test phone"] && list[0]["role"]?.text == "look")
    let id = try #require(try page.json("sessions").list?.first?["session"]?.text)
    #expect(try page.ask("sessions/\(id)/edit", post: #"{"wearer":"P08"}"#).status == 403)
    let forgotten = try await run("web", "forget", "test phone")
    #expect(forgotten.status == 0 && forgotten.output == "Removed 1 phone.\n")
    #expect(try page.ask("sessions").status == 401)
    let nobody = try await run("web", "forget", "test phone")
    #expect(nobody.status == 1, "\(nobody.output)")
    #expect(nobody.errors.contains("no phone has the id or name 'test phone'"))
    page.program.signal(SIGINT)
    let outcome = await page.program.wait()
    #expect(outcome.status == 130, "\(outcome.errors)")
  }

  @Test(arguments: [
    (["web", "explode"], 2), (["web", "forget"], 2), (["web", "list", "somebody"], 2),
    (["web", "--certificate", "/nowhere"], 2), (["web", "--store", "/nowhere.sqlite"], 1),
    (["web", "--listen", "192.0.2.1:8080"], 1), (["web", "pair", "--socket", "/nowhere.sock"], 1),
  ])
  func `an error from 'web' includes a remedy`(arguments: [String], status: Int) async throws {
    let outcome = try await Program.run(
      Program.footbridge,
      arguments + (arguments.contains("--store") ? [] : ["--store", store]),
      environment: scratch.environment)
    #expect(Int(outcome.status) == status, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.errors.hasPrefix("error: ") && outcome.errors.contains("\n       "))
  }

  @Test func `with a certificate, the page uses https, and the cookie is never sent over http`()
    async throws
  {
    let certificate = try await TestCertificate.signed(by: nil, for: ["IP:127.0.0.1"])
    let program = try Program(
      Program.footbridge,
      [
        "web", "--store", store, "--listen", "127.0.0.1:0", "--json", "--certificate",
        certificate.file, "--certificate-key", certificate.keyFile,
      ], environment: scratch.environment)
    let invitation = try JSON(parsing: Array(try #require(await program.line()).utf8))
    let address = try #require(invitation["addresses"]?.list?.first?.text)
    #expect(address.hasPrefix("https://127.0.0.1:"))
    let paired = try await Program.run(
      "/usr/bin/curl",
      [
        "-sS", "-i", "--cacert", certificate.file, "-H", "Content-Type: application/json", "-H",
        "Origin: \(address)", "-d", #"{"pin":"\#(try #require(invitation["pin"]?.text))"}"#,
        "\(address)/api/v1/pair",
      ], environment: ["no_proxy": "*"])
    #expect(paired.output.contains("200 OK"), "\(paired.output)\(paired.errors)")
    #expect(paired.output.contains("; Secure"))
    let plain = try await Program.run(
      "/usr/bin/curl", ["-sS", address.replacing("https", with: "http") + "/"],
      environment: ["no_proxy": "*"])
    #expect(!plain.output.contains("<!"))
  }

  @Test func `the examples in docs/web.md run with this page's address and PIN`() async throws {
    let program = try Program(
      Program.footbridge,
      ["web", "--store", store, "--listen", "127.0.0.1:0", "--json"],
      environment: scratch.environment)
    let invitation = try JSON(parsing: Array(try #require(await program.line()).utf8))
    let address = try #require(invitation["addresses"]?.list?.first?.text)
    let pin = try #require(invitation["pin"]?.text)
    let script = try PageDocument.examples(0)
      .replacing("http://127.0.0.1:8080", with: address).replacing("744599", with: pin)
    let outcome = try await Program.run(
      "/bin/bash", ["-euc", "cd \(scratch.path)\n" + script],
      environment: scratch.environment.merging(["no_proxy": "*"]) { $1 })
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("event: status"))
    #expect(
      try String(contentsOfFile: scratch.path + "/walk.gpx", encoding: .utf8).contains("<gpx"))
    #expect(try StoreReader(path: store).sessions().isEmpty)
  }

  private static let schemathesis = Repository.path(
    ".build/test-environment/bin/schemathesis")

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: schemathesis),
      "needs schemathesis: 'bash .ci/setup --tests' installs it"))
  func `every response matches the description of the HTTP interface`() async throws {
    let description = try describeWalk()
    let page = try await PageProgram(store, environment: scratch.environment)
    let outcome = try await Program.run(
      "/usr/bin/env",
      [
        "--chdir", scratch.path, Self.schemathesis, "run",
        description, "--url", "http://127.0.0.1:\(page.port)",
        "--phases", "examples,coverage,fuzzing", "--max-examples", "5", "--seed", "1",
        "--exclude-operation-id", "stream", "--exclude-operation-id", "leave",
        "--exclude-operation-id", "pair", "--header", "Cookie: \(page.cookieField)",
        "--header", "Origin: http://127.0.0.1:\(page.port)",
        "--exclude-checks",
        "positive_data_acceptance,negative_data_rejection,ignored_auth,unsupported_method",
      ], environment: scratch.environment)
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }

  /// Adds definitions, tasks and a report to the store. Returns the path of an API description
  /// whose example is the session in this store. A request for any other session would get only a
  /// 404 response.
  private func describeWalk() throws -> String {
    let session = try #require(try StoreReader(path: store).sessions().first)
    let editor = try StoreEditor(path: store)
    try editor.keep(
      StoredDefinitions(
        source: "home", place: "x", pulled: UTCTime(nanoseconds: 0), tag: nil,
        content: #"""
          {"format": 1, "tasks": [{"id": "tug", "seconds": 30, "difficulty": 2}, {"id": "walk"},
            {"id": "end", "type": "survey", "questions": [
             {"id": "mood", "text": "How do you feel?", "type": "choice", "choices": ["good", "bad"]},
             {"id": "pain", "text": "Pain", "type": "scale", "from": 0, "to": 10},
             {"id": "kg", "text": "Load", "type": "number", "from": 0.5, "optional": true}]}],
           "studies": [{"id": "s", "blocks": [{"id": "b", "tasks": ["tug"]}]}]}
          """#))
    let moment = session.start.advanced(bySeconds: 1)
    for change in [
      TaskChange.begin("tug"), .end(nil, stoppedBecause: "pain"), .skip("walk", because: "ice"),
      .begin("tug"),
    ] {
      try TaskReport.note(change, in: session.id, at: moment, store)
    }
    try editor.submit(
      WalkReport(hazards: .none, answers: ["mood": .text("good"), "pain": nil]),
      session: session.id, at: moment)
    let example = "496001c7-80a4-4cd8-b8a4-f282b76f2bfa"
    let text = try String(contentsOfFile: Repository.path("docs/api.openapi.yaml"), encoding: .utf8)
    try #require(text.contains(example))
    let path = scratch.path + "/api.openapi.yaml"
    try text.replacing(example, with: "\(session.id)").write(
      toFile: path, atomically: true, encoding: .utf8)
    return path
  }
}
