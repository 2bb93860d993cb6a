import Foundation
import LinuxSystem
import Storage
import TestSupport
import Testing
import Values

/// `footbridge definitions` with `footbridge receive`, and with servers that are not receivers.
@Suite(.realTime) struct DefinitionsCommandTests {
  private let scratch: Scratch
  private var store: String { scratch.path + "/gateway.sqlite" }
  private var file: String { scratch.path + "/definitions.json" }

  init() throws {
    scratch = try Scratch()
  }

  private func run(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(
      Program.footbridge, arguments,
      environment: scratch.environment.merging(
        ["FOOTBRIDGE_STORE": store, "no_proxy": "*"]) { $1 })
  }

  @Test func `'definitions', 'uploads' and 'web list' show local times, or UTC if --utc is given`()
    async throws
  {
    try await addUnasked("http://127.0.0.1:1")
    let time = try #require(UTCTime(iso8601: "2099-05-04T22:30:00Z"))
    let editor = try StoreEditor(path: store)
    let stored = try #require(try StoreReader(path: store).destinations().first)
    try editor.rest(stored, until: time, failures: 1, error: "no response")
    let token = String(repeating: "0a", count: 32)
    try """
    {"version":1,"devices":[{"token":"\(token)","name":"phone","role":"look",
    "paired":"2026-05-04T22:30:00Z","seen":null}]}
    """.write(toFile: store + "-web", atomically: true, encoding: .utf8)
    let configuration = scratch.path + "/footbridge.conf"
    try "[store]\npath = \(store)\n".write(
      toFile: configuration, atomically: true, encoding: .utf8)
    let places = ["FOOTBRIDGE_STORE": store, "FOOTBRIDGE_CONFIG": configuration, "TZ": "XXX-02"]
    for (arguments, local, universal) in [
      (["definitions"], "1970-01-01T02:00:00+02:00", "1970-01-01T00:00:00Z"),
      (["uploads"], "2099-05-05T00:30:00+02:00", "2099-05-04T22:30:00Z"),
      (["web", "list"], "2026-05-05T00:30:00+02:00", "2026-05-04T22:30:00Z"),
    ] {
      for (options, expected) in [([], local), (["--utc"], universal)] {
        let outcome = try await Program.run(
          Program.footbridge, arguments + options,
          environment: scratch.environment.merging(places) { $1 })
        #expect(
          outcome.status == 0 && outcome.output.contains(expected),
          "\(arguments + options): \(outcome.output)\(outcome.errors)")
      }
    }
  }

  private func write(_ text: String) throws {
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }

  private func receiver() async throws -> ReceiverProgram {
    try await ReceiverProgram(
      into: scratch.path + "/received.sqlite", "--definitions", file,
      environment: scratch.environment)
  }

  private var present: StoredDefinitions? {
    get throws { try StoreReader(path: store).definitions() }
  }

  private static let set = #"""
    {"format": 1, "colours": [], "sensors": [{"signal": "acceleration", "rate": 50}],
     "hazards": ["Low branch"], "upload": {"when": "never"}}
    """#

  @Test
  func `definitions are pulled from a receiver, used offline, and listed by 'config explain'`()
    async throws
  {
    try write(Self.set)
    let receiver = try await receiver()
    let added = try await run(
      "destination", "add", "home", "--http", "http://127.0.0.1:\(receiver.port)")
    #expect(added.status == 0, "\(added.errors)")
    let pulled = try await run("definitions", "pull")
    #expect(
      pulled.output
        == "Pulled from home: 1 sensor, 1 hazard, 1 other value, 1 unknown member skipped.\n",
      "\(pulled.errors)")
    let again = try await run("definitions", "pull", "--destination", "HOME", "--json")
    let json = try JSON(parsing: Array(again.output.utf8))
    #expect(json["changed"]?.bool == false)
    #expect(json["skipped"]?.list == [.text("colours")])
    let old = try #require(try present)
    // Invalid definitions on the receiver change nothing here.
    try write(#"{"format": 1, "upload": {"when": "sometimes"}}"#)
    let refused = try await run("definitions", "pull")
    #expect(refused.status == 7, "\(refused.output)")
    #expect(refused.errors.contains("definitions on this server are faulty"), "\(refused.errors)")
    #expect(try present == old)
    // An unreachable receiver changes nothing either: the stored set remains in use.
    await receiver.kill()
    #expect(try await run("definitions", "pull").status == 7)
    #expect(try present == old)
    let configuration = scratch.path + "/footbridge.conf"
    try "[store]\npath = \(store)\n[sensors]\nsensor = temperature@1\n".write(
      toFile: configuration, atomically: true, encoding: .utf8)
    let explained = try await run("config", "explain", "--config", configuration)
    let lines = explained.output.split(separator: "\n")
    #expect(
      lines.contains { $0.hasPrefix("upload.when ") && $0.contains("  pulled from home at 20") },
      "\(explained.output)")
    #expect(lines.contains { $0.hasPrefix("sensors.sensor ") && $0.hasSuffix(" line 4") })
    let shown = try await run("definitions")
    #expect(shown.output.contains("The last pull failed at "), "\(shown.output)")
    #expect(try await run("definitions", "forget").status == 0)
    #expect(try present == nil)
  }

  @Test func `a receiver does not start if its definitions have faults`() async throws {
    try write(#"{"format": 1, "hazards": 3}"#)
    let outcome = try await Program.run(
      Program.footbridge,
      ["receive", "--into", scratch.path + "/in.sqlite", "--definitions", file],
      environment: scratch.environment)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'hazards' is not a list"), "\(outcome.errors)")
    let checked = try await run("definitions", "check", file)
    #expect(checked.status == 2)
    #expect(
      checked.output == """
        \(file): 'hazards' is not a list
          correct the file; docs/definitions.md describes the format

        """)
  }

  /// A server's response to the request for definitions.
  struct Hostile: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: FaultServer.Rule
    let words: String

    init(_ name: String, _ rule: FaultServer.Rule, _ words: String) {
      testDescription = name
      self.rule = rule
      self.words = words
    }
  }

  @Test(arguments: [
    Hostile("a page", .status(200, body: "<html>log in</html>"), "are invalid: invalid JSON"),
    Hostile(
      "a log-in page for every address",
      .status(
        200, fields: ["Content-Type": "text/html; charset=utf-8"], body: "<html>log in</html>"),
      "network requires a login first"),
    Hostile(
      "a log-in page with 404",
      .status(404, fields: ["Content-Type": "text/html"], body: "<html>log in</html>"),
      "network requires a login first"),
    Hostile(
      "other JSON", .status(200, body: #"{"status": "ok"}"#),
      "the definitions have no \"format\": 1"),
    Hostile(
      "a wrong type", .status(200, body: #"{"format": 1, "sensors": 7}"#),
      "'sensors' is not a list"),
    Hostile(
      "a huge set",
      .status(200, body: #"{"format": 1, "x": ""# + String(repeating: "x", count: 70_000) + "\"}"),
      "larger than 64 KiB"),
    Hostile("an endless answer", .effect("endless"), "is longer than 131072 bytes"),
    Hostile("a redirection", .redirect(to: "http://127.0.0.1:1/"), "redirects to"),
    Hostile("no HTTP", .effect("garbage"), "is not HTTP"),
    Hostile("half an answer", .effect("truncated"), "broke"),
    Hostile("a broken connection", .effect("reset"), "broke"),
    Hostile("nothing has changed, unasked", .status(304), "this gateway has none"),
    Hostile("an empty answer", .status(204), "but without definitions"),
    Hostile("a failure", .status(500), "the server failed"),
    Hostile("a forbidden place", .status(403), "permit reading: HTTP 403"),
    Hostile("a place for tokens", .status(401), "permits reading: --token-file FILE"),
  ])
  func `a server's invalid response is reported and does not change the stored definitions`(
    hostile: Hostile
  )
    async throws
  {
    let server = try await FaultServer.start([hostile.rule.on("GET")])
    try await addUnasked(server.url())
    let outcome = try await run("definitions", "pull")
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains(hostile.words), "\(outcome.errors)")
    #expect(try present?.content == Self.set)
  }

  /// Adds a destination to a store that already has a set of definitions from another destination.
  private func addUnasked(_ url: String) async throws {
    #expect(try await run("destination", "add", "home", "--http", url).status == 0)
    try StoreEditor(path: store).keep(
      StoredDefinitions(
        source: "old", place: "http http://old.example", pulled: UTCTime(nanoseconds: 1),
        tag: "\"a\"", content: Self.set))
  }

  @Test func `Ctrl-C ends the wait for a silent server, and the stored definitions are kept`()
    async throws
  {
    let server = try await FaultServer.start([FaultServer.Rule.effect("stall").on("GET")])
    try await addUnasked(server.url())
    let program = try Program(
      Program.footbridge, ["definitions", "pull"],
      environment: scratch.environment.merging(
        ["FOOTBRIDGE_STORE": store, "no_proxy": "*"]) { $1 })
    try await wait(for: "the question") { await !server.requests.isEmpty }
    program.signal(SIGINT)
    #expect(await program.wait().status == 130)
    #expect(try present?.content == Self.set)
    #expect(try StoreReader(path: store).failedPull() == nil)
  }

  @Test
  func `the configuration's destinations are queried if the configuration names the same store`()
    async throws
  {
    try write(Self.set)
    let wrong = try await FaultServer.start([FaultServer.Rule.status(500).on("GET")])
    let receiver = try await receiver()
    try await addUnasked(wrong.url())
    let added = try await run(
      "destination", "add", "office", "--http", "http://127.0.0.1:\(receiver.port)")
    #expect(added.status == 0, "\(added.errors)")
    // Without a configuration, all destinations are queried, in alphabetical order.
    #expect(try await run("definitions", "pull").status != 0)
    let configuration = scratch.path + "/footbridge.conf"
    func pull(store: String, from: String) async throws -> Program.Outcome {
      try "[store]\npath = \(store)\n[definitions]\nfrom = \(from)\n".write(
        toFile: configuration, atomically: true, encoding: .utf8)
      return try await run("definitions", "pull", "--config", configuration)
    }
    let pulled = try await pull(store: store, from: "office")
    #expect(pulled.output.hasPrefix("office has nothing new: "), "\(pulled.errors)")
    let unknown = try await pull(store: store, from: "nosuch")
    #expect(unknown.errors.contains("nosuch"), "\(unknown.errors)")
    #expect(try await pull(store: store + ".other", from: "office").status != 0)
  }

  @Test func `a server without definitions does not change the stored ones`() async throws {
    let server = try await FaultServer.start([FaultServer.Rule.status(404).on("GET")])
    try await addUnasked(server.url())
    let outcome = try await run("definitions", "pull")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("no definitions for this gateway at home"))
    #expect(try present?.content == Self.set)
  }
}
