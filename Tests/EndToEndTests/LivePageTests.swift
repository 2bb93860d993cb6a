import Foundation
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// The page that a running gateway serves: `footbridge run` with `[web]`.
@Suite(.realTime) struct LivePageTests {
  private let world: BoardsWorld

  init() async throws {
    world = try await BoardsWorld(boards: 2)
  }

  private func start(when rule: String = "always") async throws -> PageProgram {
    let gateway = try await world.startGateway(when: rule)
    return try PageProgram(gateway.program, invitation: gateway.invitation)
  }

  /// Reads events until one of this kind has the expected content, and returns that event.
  private func event(
    _ kind: String, _ client: RawConnection, _ rest: inout String, where isWanted: (JSON) -> Bool
  ) -> JSON? {
    while true {
      while let end = rest.firstRange(of: "\n\n") {
        let event = String(rest[..<end.lowerBound])
        rest.removeSubrange(..<end.upperBound)
        guard event.contains("event: \(kind)\n"), let data = event.firstRange(of: "data: ") else {
          continue
        }
        // The size of an HTTP chunk may precede the event.
        let text = event[data.upperBound...].prefix { $0 != "\r" }
        if let json = try? JSON(parsing: Array(text.utf8)), isWanted(json) { return json }
      }
      guard let bytes = client.bytes() else { return nil }
      rest += String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\r")
    }
  }

  @Test
  func `samples, the status and hazards reach the page live, and a repeated hazard is stored once`()
    async throws
  {
    let page = try await start()
    let client = try page.connect("stream")
    var rest = ""
    let columns = event("columns", client, &rest) { $0["streams"]?.list?.isEmpty == false }
    let stream = columns?["streams"]?.list?.first
    #expect(world.addresses.map { "\($0)" }.contains(stream?["board"]?.text ?? ""))
    let axes = stream?["axes"]?.list?.count ?? 0
    #expect(axes == 3 && stream?["columns"]?.list?.first?.list?.count == 1 + 2 * axes)
    let state = event("status", client, &rest) {
      $0["session"] != nil && $0["status"]?["recording"]?["phase"]?.text == "recording"
    }
    #expect(state != nil)
    let report =
      #"{"id":"5d3c0f4e8a514d0c9a630c1f2e3d4b5a","name":"Slippery","intensity":2,"ago":0.5}"#
    for _ in 0..<2 { _ = try page.json("sessions/current/hazards", post: report) }
    let noted = event("status", client, &rest) {
      $0["session"]?["hazards"]?.list?.isEmpty == false
    }
    let hazards = noted?["session"]?["hazards"]?.list ?? []
    #expect(hazards.map { $0["name"]?.text } == ["Slippery"])
    let id = try #require(noted?["session"]?["id"]?.text)
    // A running session can be viewed, but not deleted.
    #expect(try page.json("sessions/\(id)")["session"]?.text == id)
    #expect(try page.ask("sessions/\(id)/delete", post: #"{"confirm":"\#(id)"}"#).status == 409)
    #expect(try page.json("recording", post: #"{"command":"stop"}"#)["done"]?.bool == true)
    _ = event("status", client, &rest) { $0["session"] == nil }
    page.program.signal(SIGTERM)
    let outcome = await page.program.wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    await world.endWithoutComplaints()
  }

  @Test func `a hazard has the time of the tap, and a late request to stop is rejected`()
    async throws
  {
    let page = try await start()
    let client = try page.connect("stream")
    var rest = ""
    let state = event("status", client, &rest) { $0["session"]?["elapsed"]?.number ?? 0 > 4 }
    let clock = try #require(state?["clock"])
    let (boot, now) = (try #require(clock["boot"]?.text), try #require(clock["seconds"]?.number))
    let session = try #require(try StoreReader(path: world.store).sessions().last)
    // The phone sent this request two seconds before it arrives.
    let report =
      #"{"id":"\#(UniqueID.random())","name":"Slope","intensity":1,"ago":0.5,"#
      + #""sent":{"boot":"\#(boot)","seconds":\#(now - 2)}}"#
    let hazards = try page.json("sessions/current/hazards", post: report)["hazards"]?.list
    let tapped = now - 2.5 - Double(session.start.nanoseconds) / 1e9
    let noted = hazards?.first?["seconds"]?.number ?? 0
    #expect(abs(noted - tapped) < 0.01, "\(noted), tapped at \(tapped)")
    for until in [
      #"{"boot":"\#(boot)","seconds":\#(now - 1)}"#,
      #"{"boot":"\#(UniqueID.random())","seconds":\#(now + 100)}"#,
    ] {
      let answer = try page.ask("recording", post: #"{"command":"stop","until":\#(until)}"#)
      #expect(answer.status == 409 && answer.text.contains("too late"), "\(answer.text)")
    }
    let phase = try page.json("status")["recording"]?["phase"]?.text
    #expect(phase == "recording")
    let until = #"{"boot":"\#(boot)","seconds":\#(now + 1_000)}"#
    _ = try page.json("recording", post: #"{"command":"stop","until":\#(until)}"#)
    try await wait(for: "the end") {
      try page.json("status")["recording"]?["session"]?.text == nil
    }
    #expect(try page.ask("recording", post: #"{"command":"pause"}"#).status == 409)
    page.program.signal(SIGTERM)
    #expect(await page.program.wait().status == 0)
    await world.endWithoutComplaints()
  }

  @Test
  func
    `a hazard tapped during a walk is stored in that walk, even if the phone knew only an older walk`()
    async throws
  {
    let page = try await start()
    func session(after former: String?) async throws -> String {
      var id: String?
      try await wait(for: "a session") {
        id = try page.json("status")["recording"]?["session"]?.text
        return id != nil && id != former
      }
      return try #require(id)
    }
    let former = try await session(after: nil)
    _ = try page.json("recording", post: #"{"command":"stop"}"#)
    try await wait(for: "the end") {
      try page.json("status")["recording"]?["session"]?.text == nil
    }
    _ = try page.json("recording", post: #"{"command":"start"}"#)
    let present = try await session(after: former)
    let clock = try BootClock.bootID()
    let walks = try StoreReader(path: world.store).sessions()
    let end = try #require(walks.first { "\($0.id)" == former }?.end)
    let begin = try #require(walks.first { "\($0.id)" == present }?.start)
    // A phone takes a few seconds to notice the end of a walk. During this time, a tap still
    // belongs to that walk.
    let tap = max(end.advanced(bySeconds: 3.5), begin)
    try await wait(for: "the tap") { BootClock.now() > tap }
    func report(_ name: String, at time: BootTime) throws -> RawConnection.Answer {
      let sent = #"{"boot":"\#(clock)","seconds":\#(Double(time.nanoseconds) / 1e9)}"#
      return try page.ask(
        "sessions/\(former)/hazards",
        post: #"{"id":"\#(UniqueID.random())","name":"\#(name)","intensity":1,"ago":0,"#
          + #""sent":\#(sent)}"#)
    }
    #expect(try report("Slope", at: tap).status == 200)
    #expect(try report("Debris", at: walks[0].start.advanced(bySeconds: -60)).status == 409)
    let found = try walks.map {
      try StoreReader(path: world.store).hazards(of: $0.id).map(\.name)
    }
    #expect(found == [[], ["Slope"]])
    page.program.signal(SIGTERM)
    #expect(await page.program.wait().status == 0)
    await world.endWithoutComplaints()
  }

  @Test func `the track of a running walk includes every fix stored so far`() async throws {
    let world = try await BoardsWorld(["--gps"])
    let gateway = try await world.startGateway()
    let page = try PageProgram(gateway.program, invitation: gateway.invitation)
    var id = ""
    try await wait(for: "a session") {
      id = try page.json("sessions").list?.last?["session"]?.text ?? ""
      return !id.isEmpty
    }
    // The first fixes are stored when the session begins, and later fixes with each chunk.
    var count = 0
    try await wait(for: "more positions") {
      count = try page.json("sessions/\(id)")["fixes"]?.number.map { Int($0) } ?? 0
      return count > 5
    }
    let track = try page.json("sessions/\(id)/track?points=2000")["fixes"]?.list ?? []
    #expect(track.count >= count)
    page.program.signal(SIGTERM)
    #expect(await page.program.wait().status == 0)
    await world.endWithoutComplaints()
  }

  @Test func `a walk interrupted by a crash is shown at its full length even before its recovery`()
    async throws
  {
    let page = try await start(when: "command")
    _ = try page.json("recording", post: #"{"command":"start"}"#)
    var id = ""
    // The store contains fewer samples than the tail.
    try await wait(for: "three seconds of a walk") {
      let sessions = try page.json("sessions").list ?? []
      id = sessions.first?["session"]?.text ?? ""
      return sessions.first?["seconds"]?.number ?? 0 > 3
    }
    page.program.signal(SIGKILL)
    _ = await page.program.wait()
    let next = try await start(when: "command")
    let length = try #require(try next.json("sessions/\(id)")["seconds"]?.number)
    #expect(length > 3)
    for at in [1.5, length] {
      let report = #"{"id":"\#(UniqueID.random())","name":"at \#(at)","intensity":1,"at":\#(at)}"#
      let hazards = try next.json("sessions/\(id)/hazards", post: report)["hazards"]?.list ?? []
      let seconds = hazards.first { $0["name"]?.text == "at \(at)" }?["seconds"]?.number
      #expect(abs((seconds ?? 0) - at) < 0.01, "\(hazards)")
    }
    next.program.signal(SIGTERM)
    #expect(await next.program.wait().status == 0)
    await world.endWithoutComplaints()
  }

  @Test func `without a recording, no hazards are accepted, and the page can start a recording`()
    async throws
  {
    let page = try await start(when: "command")
    let report = #"{"id":"5d3c0f4e8a514d0c9a630c1f2e3d4b5a","name":"Ice","intensity":1,"ago":0}"#
    let refused = try page.ask("sessions/current/hazards", post: report)
    #expect(refused.status == 409 && refused.text.contains("nothing is being recorded"))
    #expect(try page.json("recording", post: #"{"command":"start"}"#)["done"]?.bool == true)
    try await wait(for: "a session") {
      try page.json("status")["recording"]?["session"] != nil
    }
    _ = try page.json("sessions/current/hazards", post: report)
    let script =
      "look() { :; }\ntell() { curl -fsS -H 'Content-Type: application/json' "
      + "-H \"Origin: $page\" -H 'Cookie: \(page.cookieField)' \"$@\"; }\n"
      + "page=http://127.0.0.1:\(page.port)\n" + (try PageDocument.examples(1))
    let examples = try await Program.run(
      "/bin/bash", ["-euc", script], environment: ["no_proxy": "*"])
    #expect(examples.status == 0, "\(examples.output)\(examples.errors)")
    page.program.signal(SIGTERM)
    #expect(await page.program.wait().status == 0)
    #expect(
      try StoreReader(path: world.store).sessions().first.map { session in
        Set(try StoreReader(path: world.store).hazards(of: session.id).map(\.name))
      } == ["Ice", "Slope"])
    await world.endWithoutComplaints()
  }
}
