import Foundation
import LinuxSystem
import TestSupport
import Testing
import Values

/// `receive --live` and `GET /v1/live`, with a real PostgreSQL and a real broker.
@Suite(
  .realTime, .enabled(if: Mosquitto.isInstalled, Mosquitto.absence),
  .enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
struct LiveReceiverTests {
  private let scratch: Scratch
  private let database: String
  private let broker: Mosquitto

  init() async throws {
    scratch = try Scratch()
    database = try await PostgresServer.running().database()
    broker = try await Mosquitto()
    let made = try await Program.run(
      Program.fleet, ["migrate", "--database", database])
    try #require(made.status == 0, "\(made.errors)")
  }

  private func add(_ name: String, _ options: String...) async throws -> String {
    let outcome = try await Program.run(
      Program.fleet, ["add", name, "--database", database, "--json"] + options)
    return try #require(try JSON(parsing: Array(outcome.output.utf8))["token"]?.text)
  }

  @Test func `the fleet page shows the gateways' positions and marks stale ones`()
    async throws
  {
    for name in ["one", "two"] { _ = try await add(name) }
    let program = try Program(
      Program.fleet,
      [
        "receive", "--into", database, "--listen", "127.0.0.1:0", "--page", "127.0.0.1:0", "--live",
        broker.address, "--fleet", "study", "--json",
      ], environment: scratch.environment.merging(["XDG_DATA_HOME": scratch.path]) { $1 })
    let invitation = try #require(await program.line { $0.contains(#""pin""#) })
    let page = try PageProgram(program, invitation: invitation)
    let access = try page.json("access")
    #expect(access["kind"]?.text == "fleet" && access["live"]?.bool == true)
    #expect(try page.json("sessions").list == [])
    #expect(try page.ask("status").text == "null")
    let client = try page.connect("live")
    var text = ""
    func read(until part: String) {
      while !text.contains(part), let bytes = client.bytes() {
        text += String(decoding: bytes, as: UTF8.self)
      }
    }
    try await publish(location(48), "one", "location")
    try await publish(location(49, for: 2), "two", "location")
    read(until: #""latitude":48"#)
    read(until: #""latitude":49"#)
    #expect(text.contains(#""fleet":"study""#))
    read(until: "event: stale")
    let stale = text.components(separatedBy: "event: stale").last ?? ""
    #expect(stale.contains(#""gateway":"two""#))
    // A phone that has left gets no further response.
    _ = try page.json("leave", post: "{}")
    #expect(try page.ask("live").status == 401)
    program.signal(SIGINT)
    #expect(await program.wait().status == 130)
  }

  private func receiver() async throws -> ReceiverProgram {
    try await ReceiverProgram(
      of: Program.fleet, into: database, "--live", broker.address, "--fleet", "study",
      environment: scratch.environment)
  }

  private func status(_ state: String, for seconds: Double = 60) -> String {
    LiveMessages.status(state, for: seconds)
  }

  private func location(_ latitude: Double, for seconds: Double = 60) -> String {
    LiveMessages.location(latitude, for: seconds)
  }

  private func publish(_ payload: String, _ gateway: String, _ kind: String) async throws {
    try await broker.publish(payload, on: "footbridge/study/\(gateway)/\(kind)")
  }

  /// Starts a program that reads the live events.
  private func events(_ receiver: ReceiverProgram, token: String) throws -> Program {
    try Program(
      "/usr/bin/curl",
      [
        "-sN", "-H", "Authorization: Bearer \(token)",
        "http://127.0.0.1:\(receiver.port)/v1/live",
      ], environment: ["no_proxy": "*"])
  }

  private func event(
    _ reader: Program, within seconds: Double = patience, where condition: (JSON) -> Bool
  ) async -> JSON? {
    var found: JSON?
    _ = await reader.line(within: seconds) { line in
      guard line.hasPrefix("data: "),
        let object = try? JSON(parsing: Array(line.dropFirst(6).utf8)), condition(object)
      else { return false }
      found = object
      return true
    }
    return found
  }

  @Test
  func `a client gets the live states and all changes, and learns on time when a gateway is stale`()
    async throws
  {
    _ = try await add("walker")
    let gateway = try await add("trolley")
    let token = try await add("map", "--reader")
    try await publish(status("recording"), "walker", "status")
    try await publish(location(48.25), "walker", "location")
    let first = try await receiver()
    let second = try await receiver()
    var readers: [Program] = []
    for receiver in [first, second] {
      let reader = try events(receiver, token: token)
      readers.append(reader)
      let known = try #require(
        await event(reader) { $0["gateway"]?.text == "walker" && $0["location"] != nil })
      #expect(known["location"]?["latitude"]?.number == 48.25)
      #expect(known["id"]?.text?.count == 36)
      #expect(await reader.line { $0 == "event: ready" } != nil)
      let connection = try receiver.connect()
      for (token, status) in [(gateway, 403), ("0", 401)] {
        let answer = connection.ask(
          "GET", "/v1/live", fields: [("Authorization", "Bearer \(token)")])
        #expect(answer?.status == status)
      }
    }
    try await publish(status("starting", for: 3), "trolley", "status")
    for reader in readers {
      let stale = try #require(
        await event(reader) { $0["gateway"]?.text == "trolley" && $0["event"]?.text == "stale" })
      let late = Date().timeIntervalSince1970
      let expires = try #require(
        stale["status"]?["expires"]?.text.flatMap { UTCTime(iso8601: $0) })
      #expect(late - Double(expires.nanoseconds) / 1e9 < 1)
      #expect(reader.lines.contains("event: stale"))
    }
    // Invalid messages, and messages from unknown senders.
    try await publish("no JSON", "walker", "status")
    try await publish(String(repeating: "x", count: 70_000), "walker", "status")
    try await publish(status("recording"), "stranger", "status")
    try await broker.publish("x", on: "footbridge/study/walker/status/deep")
    #expect(await first.program.remarks(4) { $0.contains("live message refused") })
    #expect(!readers[0].lines.contains { $0.contains("stranger") })
    // An added gateway appears without a restart.
    _ = try await add("late")
    try await publish(status("recording"), "late", "status")
    #expect(await event(readers[0]) { $0["gateway"]?.text == "late" } != nil)
    // The database stores the last state, whichever receiver received it.
    try await publish(location(49.5), "walker", "location")
    let watch = try Program(
      Program.fleet, ["watch", "--json", "--database", database])
    let shown = await watch.line {
      $0.contains(#""gateway":"walker""#) && $0.contains(#""latitude":49.5"#)
    }
    #expect(shown != nil)
    try await publish("", "walker", "location")
    try await publish("", "walker", "status")
    #expect(await watch.line { $0.contains(#""event":"gone","gateway":"walker""#) } != nil)
    #expect(await event(readers[1]) { $0["event"]?.text == "gone" } != nil)
    watch.signal(SIGINT)
    #expect(await watch.wait().status == 130)
    // A revoked reader is disconnected, and the other receiver ends its streams cleanly.
    _ = try await Program.run(
      Program.fleet, ["revoke", "map", "--database", database])
    #expect(await readers[0].wait().status == 0)
    _ = try await second.finish()
    #expect(await readers[1].wait().status == 0)
    first.program.signal(SIGINT)
    let told = await first.program.wait().errors
    #expect(told.contains(#"event="live messages refused" count=1 reason="too large""#), "\(told)")
  }

  @Test func `a restarted receiver shows the previously known states until newer ones arrive`()
    async throws
  {
    _ = try await add("walker")
    let token = try await add("map", "--reader")
    var receiver = try await receiver()
    try await publish(status("recording"), "walker", "status")
    try await wait(for: "the state in the database") {
      try await PostgresServer.query(database, "SELECT count(*) FROM live").output == "1\n"
    }
    await receiver.kill()
    await broker.kill()
    try await broker.start()
    receiver = try await self.receiver()
    let reader = try events(receiver, token: token)
    #expect(
      await event(reader) {
        $0["gateway"]?.text == "walker" && $0["status"]?["state"]?.text == "recording"
      } != nil)
    try await publish(status("waiting"), "walker", "status")
    #expect(await event(reader) { $0["status"]?["state"]?.text == "waiting" } != nil)
    _ = try await receiver.finish()
    #expect(await reader.wait().status == 0)
  }

  @Test func `a slow client gets the latest live states, and no backlog accumulates`() async throws
  {
    let names = (0..<20).map { "walker-\($0)" }
    for name in names { _ = try await add(name) }
    let token = try await add("map", "--reader")
    let receiver = try await receiver()
    let slow = try RawConnection(port: receiver.port)
    slow.send("GET", "/v1/live", fields: [("Authorization", "Bearer \(token)")])
    let quick = try events(receiver, token: token)
    #expect(await quick.line { $0 == "event: ready" } != nil)
    // More data than the buffers between receiver and reader can hold, published over one
    // connection.
    let long = String(repeating: "ä", count: 90)
    let boards = (0..<60).map { #"{"name":"\#(long)\#($0)","state":"s"}"# }.joined(separator: ",")
    let program = try Program(
      "/bin/sh",
      [
        "-c",
        #"i=0; while [ $i -lt 400 ]; do for n in $3; do printf '%s\n' "$2" | sed "s/STATE/s$i/" ; done; i=$((i+1)); done "#
          + #"| mosquitto_pub -h 127.0.0.1 -p "$1" -q 1 -r -l -t footbridge/study/walker-7/status"#,
        "sh", "\(broker.port)",
        status("STATE").replacingOccurrences(of: #""boards":[]"#, with: #""boards":[\#(boards)]"#),
        "a b",
      ])
    #expect(await program.wait().status == 0)
    #expect(await event(quick) { $0["status"]?["state"]?.text == "s399" } != nil)
    // The reader starts reading only now. It gets far fewer events than were published, and the
    // last state is among them.
    let text = slow.text { $0.contains("\"s399\"") }
    #expect(text.contains("\"s399\""))
    #expect(text.split(separator: "event: update").count < 600)
    _ = try await receiver.finish()
  }
}

extension RawConnection {
  /// Returns the text received until a condition is met, or until nothing more arrives.
  fileprivate func text(until isEnough: (String) -> Bool) -> String {
    var text = ""
    while !isEnough(text), let bytes = bytes() { text += String(decoding: bytes, as: UTF8.self) }
    return text
  }
}
