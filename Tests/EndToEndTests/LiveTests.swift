import Foundation
import LinuxSystem
import TestSupport
import Testing
import Values

/// Gateways that share their live positions, a broker, and readers.
@Suite(.realTime, .enabled(if: Mosquitto.isInstalled, Mosquitto.absence))
struct LiveTests {
  private let broker: Mosquitto

  init() async throws {
    broker = try await Mosquitto()
  }

  /// A gateway at its own location, with one simulated board.
  private final class Gateway: Sendable {
    let world: BoardsWorld
    let name: String
    private let place: String
    private let address: String
    var configuration: String { world.scratch.path + "/footbridge.conf" }
    var socket: String { world.scratch.path + "/status.sock" }

    /// Creates a gateway at a fixed location, or on a walk if `place` is `nil`.
    init(_ name: String, at place: String? = nil, _ address: String) async throws {
      world = try await BoardsWorld(boards: 1, place == nil ? ["--gps"] : [])
      self.name = name
      self.place = place ?? world.receiver ?? ""
      self.address = address
    }

    func configure(_ sharing: String) throws {
      try """
      [gateway]
      name = \(name)
      [board left]
      address = \(world.addresses[0])
      [receiver]
      gps = \(place)
      [store]
      path = \(world.store)
      [sharing]
      broker = \(address)
      fleet = study
      expires = 15
      \(sharing)
      [status]
      socket = \(socket)

      """.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    func start() throws -> Program {
      try world.start("run", "--config", configuration)
    }
  }

  private func json(_ line: String) throws -> JSON { try JSON(parsing: Array(line.utf8)) }

  private func watch(_ options: String...) throws -> Program {
    try Program(
      Program.fleet,
      ["watch", "--broker", broker.address, "--fleet", "study"] + options)
  }

  /// Waits for a JSON object about a gateway.
  private func object(
    _ watch: Program, _ gateway: String, where condition: (JSON) -> Bool
  ) async -> JSON? {
    var found: JSON?
    _ = await watch.line { line in
      guard let object = try? json(line), object["gateway"]?.text == gateway, condition(object)
      else { return false }
      found = object
      return true
    }
    return found
  }

  @Test
  func `gateways share exact, rounded or no positions, and a killed gateway becomes stale on time`()
    async throws
  {
    let places = [nil, nil, "fixed:51.50735,-0.12776"]
    var gateways: [Gateway] = []
    var programs: [Program] = []
    let traffic = try broker.subscriber()
    let watching = try watch("--json")
    let lines = try watch()
    for (number, share) in ["exact", "rounded", "status"].enumerated() {
      let gateway = try await Gateway("g\(number)", at: places[number], broker.address)
      try gateway.configure("share = \(share)")
      gateways.append(gateway)
      programs.append(try gateway.start())
    }
    let exact = try #require(
      await object(watching, "g0") { $0["location"] != nil && $0["status"]?["session"] != nil })
    let place = try #require(exact["location"]?["latitude"]?.number)
    let moved = await object(watching, "g0") {
      guard let latitude = $0["location"]?["latitude"]?.number else { return false }
      return latitude != place && $0["location"]?["speed"]?.number ?? 0 > 0
    }
    #expect(moved?["location"]?["accuracy"] != nil)
    #expect(exact["status"]?["boards"]?.list?.first?["battery"]?.integer == 99)
    #expect(exact["worth"]?.text == "fresh")
    let rounded = try #require(
      await object(watching, "g1") { $0["location"] != nil && $0["status"]?["session"] != nil })
    #expect(rounded["location"]?["accuracy"]?.number ?? 0 >= 790)
    let silent = try #require(
      await object(watching, "g2") { $0["status"]?["session"] != nil })
    #expect(silent["location"] == nil)
    // A gateway that repeats its message before the message expires stays fresh.
    let first = try #require(exact["status"]?["expires"]?.text)
    let again = await object(watching, "g0") {
      $0["status"]?["expires"]?.text ?? "" > first && $0["worth"]?.text == "fresh"
    }
    #expect(again != nil)
    let stall = Stall()
    programs[0].signal(SIGKILL)
    _ = await programs[0].wait()
    let stale = try #require(
      await object(watching, "g0") { $0["event"]?.text == "stale" && $0["worth"]?.text == "stale" })
    let marked = Date()
    let told = try #require(
      stale["status"]?["expires"]?.text.flatMap { UTCTime(iso8601: $0) })
    let late = marked.timeIntervalSince1970 - Double(told.nanoseconds) / 1e9
    #expect(late > -0.1 && late - stall.seconds < 1, "\(late) s, \(stall.seconds) s not given")
    #expect(await lines.line { $0.hasPrefix("g0: stale, was recording") } != nil)
    // A gateway that ends cleanly announces its end and removes its position.
    programs[1].signal(SIGTERM)
    #expect(await programs[1].wait().status == 0)
    let off = try #require(
      await object(watching, "g1") {
        $0["status"]?["state"]?.text == "off" && $0["location"] == nil
      })
    #expect(off["worth"]?.text == "fresh")
    // After a reload that disables sharing, nothing remains at the broker.
    try gateways[2].configure("share = none")
    programs[2].signal(SIGHUP)
    #expect(await object(watching, "g2") { $0["event"]?.text == "gone" } != nil)
    let later = try broker.subscriber("footbridge/study/#")
    #expect(await later.line { $0.contains("/g0/") } != nil)
    #expect(!later.lines.contains { $0.contains("/g2/") })
    programs[2].signal(SIGTERM)
    #expect(await programs[2].wait().status == 0)
    // A gateway that is set to round its position never sends the exact position.
    let wire = traffic.lines.filter { $0.contains("/g1/location {") }
    #expect(!wire.isEmpty)
    for line in wire {
      let position = try #require(line.firstIndex(of: "{").map { try json(String(line[$0...])) })
      for name in ["latitude", "longitude"] {
        let digits = "\(try #require(position[name]?.number))".split(separator: ".").last ?? ""
        #expect(digits.count <= 2)
      }
      #expect(position["altitude"] == nil && position["course"] == nil)
    }
    #expect(!traffic.lines.contains { $0.contains("/g2/location {") })
    for program in [watching, lines] {
      program.signal(SIGINT)
      #expect(await program.wait().status == 130)
    }
    for gateway in gateways { await gateway.world.endWithoutComplaints() }
  }

  @Test func `an unreachable broker causes a warning and does not delay the recording`()
    async throws
  {
    let gateway = try await Gateway("g", at: "fixed:48.2,16.5", broker.address)
    try gateway.configure("share = exact")
    await broker.kill()
    let program = try gateway.start()
    #expect(
      await program.remarks {
        $0.contains(#"event="nothing is shared""#) && $0.contains("remedy=")
      })
    try await wait(for: "the trouble, while it records") {
      let outcome = try await gateway.world.run(
        "status", "--json", "--config", gateway.configuration)
      let status = (try? json(outcome.output)) ?? .null
      let trouble = status["troubles"]?.list?.first { $0["subject"]?.text == "sharing" }
      return trouble?["level"]?.text == "warning" && status["works"]?.bool == true
        && status["recording"]?["phase"]?.text == "recording"
    }
    let doctor = try await Program.run(
      Program.footbridge, ["doctor"],
      environment: gateway.world.environment.merging([
        "FOOTBRIDGE_CONFIG": gateway.configuration
      ]) { $1 })
    #expect(doctor.output.contains("sharing"), "\(doctor.output)")
    #expect(doctor.output.contains("cannot reach"), "\(doctor.output)")
    try await broker.start()
    let watching = try watch("--json")
    #expect(await object(watching, "g") { $0["location"] != nil } != nil)
    let shown = try await gateway.world.run("status", "--config", gateway.configuration)
    #expect(shown.output.contains("sharing    exact, \(broker.address): connected"))
    program.signal(SIGTERM)
    #expect(await program.wait().status == 0)
    await gateway.world.endWithoutComplaints()
  }

  @Test
  func `messages from programs that are not gateways are rejected, reported once and never shown`()
    async throws
  {
    let watching = try watch("--json")
    let lines = try watch()
    for topic in ["g/status", "g/location", "g", "g/status/more", "a\u{1b}[2Jb/status", "g/other"] {
      for payload in [
        "no JSON", "{}", "[]", #"{"format":1,"latitude":0,"longitude":0}"#,
        String(repeating: "x", count: 70_000),
      ] {
        try await broker.publish(payload, on: "footbridge/study/\(topic)")
      }
    }
    try await broker.publish(
      #"{"format":1,"state":"x","works":true,"version":"1","boards":[],"waiting_chunks":0,"#
        + #""sent":"2001-01-01T00:00:00Z","expires":"2001-01-01T00:01:00Z","#
        + #""clock_synchronised":true}"#, on: "footbridge/study/old/status")
    // Even if a gateway's clock is off by years, the gateway must not become stale, but its clock
    // is marked as doubtful.
    let old = try #require(await object(watching, "old") { _ in true })
    #expect(old["worth"]?.text == "fresh" && old["status"]?["clock_doubtful"]?.bool == true)
    #expect(await lines.line() == "old: x (clock?)")
    for program in [watching, lines] {
      program.signal(SIGINT)
      let outcome = await program.wait()
      #expect(outcome.status == 130)
      #expect(outcome.errors.split(separator: "\n").count { $0.contains("message refused") } == 1)
      #expect(!outcome.output.contains("\"g\"") && !outcome.output.contains("g:"))
      #expect(!outcome.output.contains("\u{1b}"))
    }
  }

  @Test func `the broker's rules let a gateway write only to its own topics`()
    async throws
  {
    let users = try await Mosquitto.passwords(["trolley": "one", "map": "two"])
    let strict = try await Mosquitto(
      [
        "allow_anonymous false", "password_file FOLDER/users", "acl_file FOLDER/rights",
        "max_packet_size 70000",
      ],
      files: [
        "users": users,
        "rights": "pattern write footbridge/study/%u/status\n"
          + "pattern write footbridge/study/%u/location\nuser map\ntopic read footbridge/study/#\n",
      ])
    let reader = try strict.subscriber("footbridge/#", "-u", "map", "-P", "two")
    for name in ["trolley", "other"] {
      try await strict.publish(
        "by trolley", on: "footbridge/study/\(name)/status", "-u", "trolley", "-P", "one")
    }
    try await strict.publish(
      "last", on: "footbridge/study/trolley/location", "-u", "trolley", "-P", "one")
    #expect(await reader.line { $0.hasSuffix("last") } != nil)
    #expect(reader.lines.count == 2 && !reader.lines.contains { $0.contains("other") })
    let folder = try TemporaryFolder()
    let file = folder.path + "/password"
    try "two\n".write(toFile: file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let watching = try Program(
      Program.fleet,
      [
        "watch", "--json", "--broker", "mqtt://map@127.0.0.1:\(strict.port)", "--fleet", "study",
        "--broker-password-file", file,
      ])
    #expect(await watching.remarks { $0.contains("not a JSON object") })
    let stranger = try Program(
      Program.fleet,
      ["watch", "--broker", "mqtt://map@127.0.0.1:\(strict.port)", "--fleet", "study"],
      environment: ["FOOTBRIDGE_BROKER_PASSWORD": "wrong"])
    #expect(
      await stranger.remarks {
        $0.contains("rejected the user name or the password") && !$0.contains("wrong")
      })
  }

  @Test func `invalid command lines are rejected, and the error suggests a remedy`() async throws {
    for call in [
      ["watch", "--broker", "mqtt://b"], ["watch", "--fleet", "f"],
      ["watch", "--broker", "http://b", "--fleet", "f"],
      ["watch", "--broker", "mqtt://a:secret@b", "--fleet", "f"],
      ["watch"], ["list", "--fleet", "f", "--broker", "mqtt://b"],
      ["watch", "name", "--broker", "mqtt://b", "--fleet", "f"],
      ["receive", "--into", "walks.sqlite", "--live", "mqtt://b", "--fleet", "f"],
      ["receive", "--into", "postgres://h/d", "--live", "mqtt://b"],
    ] {
      let outcome = try await Program.run(Program.fleet, call)
      #expect(outcome.status == 2, "\(call) \(outcome.errors)")
      #expect(
        outcome.errors.contains("\n       ") && !outcome.errors.contains("secret@"), "\(call)")
    }
  }
}
