import Foundation
import LinuxSystem
import Recording
import Sharing
import Storage
import TestSupport
import Testing
import Values

/// The page in a browser: for a running gateway, a store, and a fleet.
@Suite(.realTime, .enabled(if: PageTour.isInstalled, PageTour.absence))
struct PageTourTests {
  // MARK: A gateway

  @Test func `everything on the page can be reached in a browser by keyboard and by touch`()
    async throws
  {
    // An outage occurs every eight seconds, so each session has gaps near its start.
    let outages = stride(from: 8, to: 400, by: 8).flatMap { ["--fault", "outage@\($0):1"] }
    let world = try await BoardsWorld(boards: 2, ["--gps"] + outages)
    let gateway = try await world.startGateway()
    try await PageTour.take("gateway", gateway.invitation, environment: world.scratch.environment)
    await end(gateway, world)
  }

  @Test func `a phone with view-only access sees everything but is offered no forbidden action`()
    async throws
  {
    let world = try await BoardsWorld(boards: 2, ["--gps"])
    let gateway = try await world.startGateway(role: "look")
    try await wait(for: "a hazard in the walk") {
      try await world.run("hazard", "last", "Slippery=2").status == 0
    }
    try await PageTour.take("look", gateway.invitation, environment: world.scratch.environment)
    await end(gateway, world)
  }

  @Test func `a study's tasks can be done in a browser, even without a network`() async throws {
    try await visitGateway("tasks", defining: Self.study)
  }

  @Test func `questions about a walk can be answered in a browser, even without a network`()
    async throws
  {
    try await visitGateway("survey", defining: Self.survey)
  }

  @Test(.enabled(if: Mosquitto.isInstalled, Mosquitto.absence))
  func `a gateway's map shows the other gateways at its broker, with their names and ages`()
    async throws
  {
    let broker = try await Mosquitto()
    let world = try await BoardsWorld(boards: 1, ["--gps"])
    let gateway = try await world.startGateway(
      """
      [gateway]
      name = walker-1
      [sharing]
      broker = \(broker.address)
      fleet = study
      share = exact
      """)
    // One gateway's position is current. The other's is older than two publishing intervals.
    let publishing = Task {
      while !Task.isCancelled {
        for (name, age) in [("walker-2", 0.0), ("walker-3", 60)] {
          let now = BootClock.systemTime()
          let time = UTCTime(nanoseconds: now.nanoseconds - Int64(age * 1e9))
          let payload = SharedLocation(time: time, latitude: 47.5, longitude: 8.25).payload(
            LiveTimes(sent: now, validity: 60, isClockSynchronised: true))
          _ = try? await broker.publish(
            String(decoding: payload, as: UTF8.self), on: "footbridge/study/\(name)/location")
        }
        _ = try? await Pause.seconds(1)
      }
    }
    defer { publishing.cancel() }
    try await PageTour.take("others", gateway.invitation, environment: world.scratch.environment)
    await end(gateway, world)
  }

  /// Runs a gateway with definitions and takes a tour of its page.
  private func visitGateway(_ tour: String, defining definitions: String) async throws {
    let world = try await BoardsWorld(boards: 1, ["--gps"])
    // The first command that writes creates the store. The gateway then uses the definitions in
    // this store.
    for arguments in [["add", "home", "--http", "http://127.0.0.1:1"], ["remove", "home"]] {
      try #require(try await world.run(["destination"] + arguments).status == 0)
    }
    try StoreEditor(path: world.store).keep(
      StoredDefinitions(
        source: "home", place: "http https://a.example", pulled: BootClock.systemTime(), tag: nil,
        content: definitions))
    let gateway = try await world.startGateway("[definitions]\npull = never\n")
    try await PageTour.take(tour, gateway.invitation, environment: world.scratch.environment)
    await end(gateway, world)
  }

  private static let study = #"""
    {"format": 1,
     "tasks": [
       {"id": "tug", "name": "Timed up and go", "seconds": 3, "repeat": 2,
        "instructions": "Stand up.\nWalk <b>three</b> metres and sit down."},
       {"id": "balance", "name": "Balance", "instructions": "Stand on one leg."},
       {"id": "stairs", "name": "Stairs", "instructions": "Climb the stairs.", "seconds": 600},
       {"id": "mood", "name": "Mood", "instructions": "How are you?", "type": "survey"}],
     "studies": [{"id": "gait", "name": "Gait", "blocks": [
       {"id": "in", "name": "Indoors", "tasks": ["tug", "balance"]},
       {"id": "out", "name": "Outdoors", "tasks": ["stairs", "mood"]}]}]}
    """#

  private static let survey = #"""
    {"format": 1,
     "tasks": [{"id": "mood", "name": "Mood", "instructions": "How are you?", "type": "survey",
       "questions": [
         {"id": "tired", "text": "Are you <b>tired</b>?", "type": "choice",
          "choices": ["no", "a little", "yes"]},
         {"id": "pain", "text": "Pain", "type": "scale", "from": 0, "to": 10},
         {"id": "water", "text": "Glasses of water", "type": "number", "from": 0, "to": 20,
          "optional": true},
         {"id": "remark", "text": "Remark", "type": "text", "optional": true}]}]}
    """#

  private func end(_ gateway: BoardsWorld.Gateway, _ world: BoardsWorld) async {
    gateway.program.signal(SIGTERM)
    let end = await gateway.program.wait()
    #expect(end.status == 0, "\(end.errors)")
    await world.endWithoutComplaints()
  }

  // MARK: A store

  @Test func `a walk in a store is viewed, corrected and deleted in a browser`() async throws {
    let scratch = try Scratch()
    let store = try await scratch.recordDemo(seconds: 8)
    try await swapFeet(in: store)
    try await visit("store", store, scratch)
  }

  /// Changes a store so that its boards are on a walker's feet, with swapped labels.
  private func swapFeet(in store: String) async throws {
    let script = """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1])
      left = [0.2, -0.3, -0.1, 0.2, 0.4, 0.45, -0.05, -0.2, -0.15, -0.05, 0, -0.05, -0.05, 0, 0.15, 0.35]
      boards = store.execute("SELECT session, address FROM board ORDER BY address").fetchall()
      for (session, board), foot, sign in zip(boards, ["left foot", "right foot"], [-1, 1]):
          store.execute("UPDATE board SET placement = ? WHERE address = ?", (foot, board))
          roll = " ".join(str(sign * value) for value in left)
          store.execute(
              "INSERT INTO event (session, board, kind, time_ns, value, text) "
              "SELECT id, ?, 'mounting', start_ns + 1000000, 2, ? FROM session",
              (board, "up 1 0 0; swing 0 0 1; foot; roll " + roll))
      store.commit()
      """
    let made = try await Program.run(PageTour.python, ["-c", script, store])
    try #require(made.status == 0, "\(made.errors)")
  }

  @Test(.enabled(if: PageTour.hasLeaflet, PageTour.absenceOfLeaflet))
  func `a walk is drawn on the tiles of an MBTiles file`() async throws {
    let scratch = try Scratch()
    let store = try await scratch.recordDemo(seconds: 8)
    let session = try #require(try StoreReader(path: store).sessions().last)
    let place = try #require(try StoreReader(path: store).fixes(of: session.id).first)
    let map = scratch.path + "/heath.mbtiles"
    let made = try await Program.run(
      PageTour.python,
      [
        Repository.path("make_map.py", beside: #filePath), map, "\(place.latitude)",
        "\(place.longitude)",
      ])
    try #require(made.status == 0, "\(made.errors)")
    let routes = scratch.path + "/routes.geojson"
    let (latitude, longitude) = (place.latitude, place.longitude)
    try """
    {"type": "Feature", "properties": {"name": "Heath loop", "difficulty": "hard"}, "geometry":
      {"type": "LineString", "coordinates": [[\(longitude), \(latitude)],
        [\(longitude + 0.0005), \(latitude + 0.0003)]]}}
    """.write(toFile: routes, atomically: true, encoding: .utf8)
    try await visit("map", store, scratch, "--tiles", map, "--routes", routes)
  }

  /// Serves the page of a store and takes a tour of it.
  private func visit(
    _ tour: String, _ store: String, _ scratch: Scratch, _ options: String...
  ) async throws {
    let page = try Program(
      Program.footbridge,
      ["web", "--store", store, "--listen", "127.0.0.1:0", "--json"] + options,
      environment: scratch.environment)
    let invitation = try #require(await page.line())
    try await PageTour.take(tour, invitation, environment: scratch.environment)
    page.signal(SIGINT)
    let end = await page.wait()
    #expect(end.status == 130, "\(end.errors)")
  }

  // MARK: A fleet

  @Test(
    .enabled(if: Mosquitto.isInstalled, Mosquitto.absence),
    .enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
  func `three gateways move on a fleet's map, and a gateway that is switched off becomes stale`()
    async throws
  {
    let scene = try await FleetScene()
    let gateways = scene.gateways.flatMap { ["--gateway", "\($0)=\($1.id)"] }
    try await PageTour.take(
      "fleet", scene.invitation, gateways, environment: scene.place.scratch.environment)
    await scene.end(without: "walker-1")
  }
}
