@testable import Upload
import Foundation
import HTTPClient
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

/// Users who sign in by e-mail, with the documented rules loaded. The stub issues tokens that the
/// emulator accepts. The tokens are unsigned and contain only the user's identity.
@Suite(.realTime, .enabled(if: Emulator.isInstalled, Emulator.absence))
struct RulesTests {
  private let project = Emulator.project()
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func place(_ layout: DestinationSettings.FirestoreLayout) -> FirestorePlace {
    FirestorePlace(project: project, layout: layout, gateway: "GATEWAY")
  }

  /// Returns a user, together with a stub that accepts the user's login.
  private func user(_ name: String, _ emulator: Emulator) async throws -> User {
    let stub = try await Stub(["email": name, "password": "p", "uid": name])
    let path = "\(folder.path)/\(name).json"
    try Data(#"{"email":"\#(name)","password":"p","api_key":"api key"}"#.utf8)
      .write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return User(
      stub: stub, login: .login(file: path),
      environment: emulator.environment.merging(
        ["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:\(stub.port)"]) { $1 })
  }

  private struct User {
    let stub: Stub
    let login: DestinationSettings.Credentials
    let environment: [String: String]
  }

  @Test(arguments: DestinationSettings.FirestoreLayout.allCases)
  func `a user sends, resends and fetches a session, which another user cannot see`(
    _ layout: DestinationSettings.FirestoreLayout
  ) async throws {
    let emulator = try await Emulator.running()
    try await emulator.loadRules(project: project)
    let (ada, bea) = (try await user("Ada", emulator), try await user("Bea", emulator))
    var session = MadeSession(sizes: [2_000, 30], fixes: 60)
    let library = FirestoreLibrary(
      place(layout), credentials: ada.login, over: emulator.client, environment: ada.environment)
    let early = FirestoreDestination(
      place(layout), credentials: ada.login, over: emulator.client, environment: ada.environment)
    #expect(await early.store([session.chunks[0]], of: session) == [.stored])
    #expect(try await library.entries().map(\.isGrowing) == (layout == .compact ? [] : [true]))
    for _ in 0..<2 {
      let destination = FirestoreDestination(
        place(layout), credentials: ada.login, over: emulator.client, environment: ada.environment)
      #expect(await destination.test() == nil)
      let verdicts = await session.send(to: destination)
      #expect(verdicts == verdicts.map { _ in .stored })
      // The session changes before it is sent again.
      session.made.hazards = [Hazard(name: "Slope", intensity: 1, time: MadeSession.start)]
    }
    let entries = try await library.entries()
    #expect(entries.count == (layout == .compact ? 1 : 2))
    #expect(entries.first?.document.fields["user_id"] == .string("Ada"))
    let entry = try #require(entries.first)
    if layout == .compact {
      let fetched = try await library.session(of: entry)
      #expect(fetched.missingChunks.isEmpty && fetched.missingFixes.isEmpty)
      #expect(fetched.record == session.made)
    } else {
      let missing = try await library.samples(of: entry) { _, _, _ in }
      #expect(missing.isEmpty)
    }

    // Another user's records cannot be listed, read or overwritten.
    let foreign = FirestoreLibrary(
      place(layout), credentials: bea.login, over: emulator.client, environment: bea.environment)
    #expect(try await foreign.entries().isEmpty)
    let stolen = FirestoreLibrary(
      place(layout), credentials: bea.login, over: emulator.client, user: "Ada",
      environment: bea.environment)
    await #expect(throws: Setback.self) { try await stolen.entries() }
    if layout != .researchersPerUser {
      let destination = FirestoreDestination(
        place(layout), credentials: bea.login, over: emulator.client, environment: bea.environment)
      let verdicts = await destination.store([session.chunks[0]], of: session)
      guard case .failed(let setback) = try #require(verdicts.first) else {
        Issue.record("\(verdicts)")
        return
      }
      #expect(setback.kind == .forbidden)
    }
  }

  @Test func `a gateway reads the position that another user's gateway publishes, but not its own`()
    async throws
  {
    let emulator = try await Emulator.running()
    try await emulator.loadRules(project: project)
    let (ada, bea) = (try await user("Ada", emulator), try await user("Bea", emulator))
    func place(_ gateway: String) -> FirestorePlace {
      FirestorePlace(project: project, layout: .researchers, gateway: gateway)
    }
    for (gateway, user) in [("A", ada), ("B", bea)] {
      let location = LiveLocation(
        to: place(gateway), named: "trolley \(gateway)", credentials: user.login,
        over: emulator.client, environment: user.environment)
      let now = BootClock.now()
      await location.note(
        Fix(arrival: now, utc: BootClock.systemTime(), latitude: 48.25, longitude: 16.5), at: now)
      #expect(location.lastFailure == nil)
    }
    let read = try await PublishedLocations(
      in: place("A"), credentials: ada.login, over: emulator.client, environment: ada.environment
    ).read()
    #expect(read.found.map(\.name) == ["trolley B"])
    #expect(read.found.first?.latitude == 48.25 && read.found.first?.longitude == 16.5)
    #expect(read.unreadable == [])
  }

  /// Returns unrestricted access, to write documents that another member could have written first.
  private func owner(_ emulator: Emulator) -> FirestoreAccess {
    FirestoreAccount(
      place(.compact), .none, over: emulator.client, environment: emulator.environment
    ).access
  }

  private func access(_ user: User, _ emulator: Emulator) -> FirestoreAccess {
    FirestoreAccount(
      place(.compact), user.login, over: emulator.client, environment: user.environment
    ).access
  }

  @Test
  func `a session that contains another user's document is parked, and later sessions are sent`()
    async throws
  {
    let emulator = try await Emulator.running()
    try await emulator.loadRules(project: project)
    let ada = try await user("Ada", emulator)
    let sessions = [MadeSession(sizes: [20]), MadeSession(sizes: [20])]
    let id = FirestoreLayout.text(sessions[0].made.session.id)
    try await owner(emulator).commit([
      FirestoreWrite(
        .create(
          FirestoreDocument(
            path: ["sessions", id, "track", "0"],
            fields: [FirestoreField("user_id", .string("Bea"))])))
    ])
    let destination = FirestoreDestination(
      place(.compact), credentials: ada.login, over: emulator.client, environment: ada.environment)
    guard case .refused(let words) = await destination.finish(sessions[0]) else {
      Issue.record("it is not parked")
      return
    }
    #expect(words.contains("PERMISSION_DENIED"))
    #expect(await destination.finish(sessions[1]) == .stored)
    // The incomplete session is not listed as a complete one.
    let library = FirestoreLibrary(
      place(.compact), credentials: ada.login, over: emulator.client, environment: ada.environment)
    #expect(
      try await library.entries().map(\.name) == [
        FirestoreLayout.text(sessions[1].made.session.id)
      ])
  }

  @Test func `a user cannot occupy document names that another user's sessions will need`()
    async throws
  {
    let emulator = try await Emulator.running()
    try await emulator.loadRules(project: project)
    let (ada, bea) = (try await user("Ada", emulator), try await user("Bea", emulator))
    let theirs = [FirestoreField("user_id", .string("Bea"))]
    func isRefused(_ path: [String]) async -> Bool {
      do throws(FirestoreFailure) {
        try await access(bea, emulator).commit([
          FirestoreWrite(.create(FirestoreDocument(path: path, fields: theirs)))
        ])
        return false
      } catch {
        return error.isForbidden
      }
    }
    let session = MadeSession(sizes: [20])
    let id = FirestoreLayout.text(session.made.session.id)
    // The writes are rejected both before and after the session exists.
    for _ in 0..<2 {
      for part in [["track", "0"], ["track", "2000"], ["record", "0123456789abcdef-0"]] {
        #expect(await isRefused(["sessions", id] + part), "\(part)")
      }
      let destination = FirestoreDestination(
        place(.compact), credentials: ada.login, over: emulator.client,
        environment: ada.environment)
      #expect(await destination.finish(session) == .stored)
    }
    for record in ["Ada___20260504093130", "Ada___20260504093130-2", "Be", "x"] {
      #expect(await isRefused(["records", record]), "\(record)")
    }
    #expect(!(await isRefused(["records", "Bea___20260504093130"])))
    #expect(!(await isRefused(["sessions", "BEA"])))
    #expect(!(await isRefused(["sessions", "BEA", "track", "0"])))
  }

  @Test func `if a record claims too many fixes, the fixes that exist are sent and fetched`()
    async throws
  {
    let emulator = try await Emulator.running()
    try await emulator.loadRules(project: project)
    let ada = try await user("Ada", emulator)
    let destination = FirestoreDestination(
      place(.compact), credentials: ada.login, over: emulator.client, environment: ada.environment)
    var session = MadeSession(sizes: [20], fixes: 4_000)
    #expect(session.track.count > 2_000)
    session.made.fixCount = 2_000_000_000
    let verdicts = await session.send(to: destination)
    #expect(verdicts == verdicts.map { _ in .stored })
    let library = FirestoreLibrary(
      place(.compact), credentials: ada.login, over: emulator.client, environment: ada.environment)
    let entry = try #require(try await library.entries().first)
    let fetched = try await library.session(of: entry)
    #expect(fetched.track == session.track)
    #expect(fetched.missingFixes.reduce(session.track.count) { $0 + $1.count } == 2_000_000_000)
  }

  @Test func `only deleted and hidden chunks are missing from a fetched session`() async throws {
    let emulator = try await Emulator.running()
    try await emulator.loadRules(project: project)
    let ada = try await user("Ada", emulator)
    let session = MadeSession(sizes: [20, 20, 20])
    let destination = FirestoreDestination(
      place(.compact), credentials: ada.login, over: emulator.client, environment: ada.environment)
    _ = await session.send(to: destination)
    let owner = FirestoreAccount(
      place(.compact), .none, over: emulator.client, environment: emulator.environment
    ).access
    let ids = session.chunks.map { $0.id.description.uppercased() }
    try await owner.commit([
      FirestoreWrite(.delete(path: ["chunks", ids[4]])),
      FirestoreWrite(
        .update(
          FirestoreDocument(
            path: ["chunks", ids[7]], fields: [FirestoreField("user_id", .string("Bea"))]),
          paths: ["user_id"])),
    ])
    let library = FirestoreLibrary(
      place(.compact), credentials: ada.login, over: emulator.client, environment: ada.environment)
    let entry = try #require(try await library.entries().first)
    let missing = try await library.session(of: entry).missingChunks
    #expect(missing.map(\.id) == [ids[4], ids[7]])
    #expect(missing.map(\.position) == [4, 7])
  }

  @Test func `a user can read the definitions' studies and tasks, but not write them`() async throws
  {
    let emulator = try await Emulator.running()
    try await emulator.loadRules(project: project)
    let ada = try await user("Ada", emulator)
    let root = FirestoreDatabase(project: project, database: "(default)").root
    func document(_ path: String, _ field: FirestoreField) -> FirestoreWrite {
      FirestoreWrite(
        .create(
          FirestoreDocument(path: path.split(separator: "/").map(String.init), fields: [field])))
    }
    func references(_ name: String, _ path: String) -> FirestoreField {
      FirestoreField(name, .array([.reference("\(root)/\(path)")]))
    }
    let documents = [
      document("gateway_config/GATEWAY", references("studies", "studies/gait")),
      document("studies/gait", FirestoreField("name", .string("Gait"))),
      document("studies/gait/blocks/first", references("tasks", "tasks/tug")),
      document("tasks/tug", FirestoreField("seconds", .integer(30))),
    ]
    let source = FirestoreDefinitions(
      in: place(.compact), credentials: ada.login, over: emulator.client,
      environment: ada.environment)
    guard case .none = try await source.fetch(unless: nil) else {
      Issue.record("definitions were found before they were written")
      return
    }
    // Without the task, the whole pull fails.
    try await owner(emulator).commit(Array(documents.dropLast()))
    let setback = await #expect(throws: Setback.self) { try await source.fetch(unless: nil) }
    #expect(setback?.reason == "the definitions refer to tasks/tug, which does not exist")
    try await owner(emulator).commit([documents[3]])
    let text =
      #"{"format":1,"studies":[{"blocks":[{"id":"first","tasks":["tug"]}],"id":"gait","#
      + #""name":"Gait"}],"tasks":[{"id":"tug","seconds":30}]}"#
    #expect(try await source.fetch(unless: nil) == .found(Array(text.utf8), tag: nil))
    for path in [["studies", "x"], ["studies", "gait", "blocks", "x"], ["tasks", "x"]] {
      let failure = await #expect(throws: FirestoreFailure.self) {
        try await access(ada, emulator).commit([
          FirestoreWrite(.create(FirestoreDocument(path: path, fields: [])))
        ])
      }
      #expect(failure?.isForbidden == true, "\(path)")
    }
  }

  @Test func `a position is published during a recording and removed at its end`() async throws {
    let emulator = try await Emulator.running()
    try await emulator.loadRules(project: project)
    let (ada, bea) = (try await user("Ada", emulator), try await user("Bea", emulator))
    let location = LiveLocation(
      to: place(.compact), credentials: ada.login, over: emulator.client,
      environment: ada.environment)
    func read() async throws(FirestoreFailure) -> [FirestoreField] {
      // Every user who is signed in may read the position.
      try await FirestoreAccount(
        place(.compact), bea.login, over: emulator.client, environment: bea.environment
      ).access.read(["locations", "GATEWAY"], fields: []).fields
    }
    let fix = Fix(
      arrival: BootTime(nanoseconds: 0), utc: UTCTime(nanoseconds: MadeSession.utc),
      latitude: 48.2, longitude: 16, altitudeMSL: 171.5,
      error: .init(horizontal: 3.5, basis: .reported))
    await location.note(fix, at: BootTime(nanoseconds: 0))
    #expect(location.lastFailure == nil)
    let fields = try await read()
    #expect(fields["user_id"] == .string("Ada"))
    #expect(fields["latitude"] == .double(48.2))
    #expect(fields["longitude"] == .double(16))
    #expect(fields["altitude"] == .double(171.5))
    #expect(fields["accuracy_m"] == .double(3.5))
    #expect(fields["fix_time"]?.time == UTCTime(nanoseconds: MadeSession.utc))
    // An id would reveal the session's name to every user.
    #expect(fields["session_id"] == nil)
    let updated = try #require(fields["updated_at"]?.time)
    let expires = try #require(fields["expires_at"]?.time)
    #expect(expires.nanoseconds - updated.nanoseconds == 60_000_000_000)
    // It is too soon after the last update to publish another one.
    await location.note(fix, at: BootTime(nanoseconds: 1_000_000_000))
    #expect(try await read()["updated_at"]?.time == updated)
    await location.note(fix, at: BootTime(nanoseconds: 10_000_000_000))
    #expect(try await read()["updated_at"]?.time != updated)
    await location.end()
    #expect(location.lastFailure == nil)
    await #expect(throws: FirestoreFailure.self) { try await read() }
  }
}
