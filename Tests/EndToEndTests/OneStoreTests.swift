import Foundation
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// If the gateway has a configuration, all commands use the store that it names, even if the user
/// has a separate store.
@Suite(.realTime) struct OneStoreTests {
  private let world: BoardsWorld
  /// The user's own store, which contains an older walk.
  private let own: String

  init() async throws {
    world = try await BoardsWorld()
    own = world.scratch.path + "/home/footbridge/footbridge.sqlite"
    let recorded = try await world.scratch.recordDemo(seconds: 1)
    try FileManager.default.createDirectory(
      atPath: world.scratch.path + "/home", withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: (recorded as NSString).deletingLastPathComponent,
      toPath: world.scratch.path + "/home/footbridge")
  }

  /// Runs a command as a user for whom only the configuration leads to the store.
  private func run(
    _ arguments: String..., configuration: String? = nil
  ) async throws -> Program.Outcome {
    try await Program.run(
      Program.footbridge, arguments,
      environment: world.environment.merging([
        "FOOTBRIDGE_STORE": "", "XDG_DATA_HOME": world.scratch.path + "/home",
        "FOOTBRIDGE_CONFIG": configuration ?? world.configuration,
      ]) { $1 })
  }

  /// Returns the session that the gateway is recording.
  private func session() async throws -> UniqueID {
    var session: UniqueID?
    try await wait(for: "a session") {
      let status = try? JSON(parsing: Array(try await run("status", "--json").output.utf8))
      session = status?["recording"]?["session"]?.text.flatMap { UniqueID($0) }
      return session != nil
    }
    return try #require(session)
  }

  @Test func `a hazard noted during a walk is not stored in an older walk in the user's own store`()
    async throws
  {
    let gateway = try await world.startGateway()
    let session = try await session()
    let former = try StoreReader(path: own).sessions()
    let hazard = try await run("hazard", "last", "uneven=3")
    #expect(hazard.status == 0, "\(hazard.errors)")
    #expect(hazard.output.contains("Uneven Surface"))
    #expect(
      hazard.errors
        == "level=notice event=\"store of the configuration\" path=\(world.store) "
        + "configuration=\(world.configuration)\n")
    let remark = try await run("annotate", "last", "a gate", "--json")
    #expect(remark.status == 0, "\(remark.errors)")
    #expect(try JSON(parsing: Array(remark.output.utf8))["text"]?.text == "a gate")
    let reader = try StoreReader(path: world.store)
    #expect(try reader.hazards(of: session).map(\.name) == ["Uneven Surface"])
    #expect(try reader.annotations(of: session).map(\.text) == ["a gate"])
    #expect(try StoreReader(path: own).sessions() == former)
    #expect(try StoreReader(path: own).hazards(of: former[0].id).map(\.name) == ["Slippery"])
    gateway.program.signal(SIGTERM)
    #expect(await gateway.program.wait().status == 0)
  }

  @Test func `commands find the destinations, sessions and boards in the gateway's store`()
    async throws
  {
    let gateway = try await world.startGateway()
    let session = try await session()
    let stick = world.scratch.path + "/stick"
    try FileManager.default.createDirectory(atPath: stick, withIntermediateDirectories: true)
    let added = try await run("destination", "add", "office", "--folder", stick)
    #expect(added.status == 0, "\(added.errors)")
    #expect(try await run("destination", "test", "office").status == 0)
    #expect(try await run("uploads").output.contains("office"))
    let listed = try JSON(parsing: Array(try await run("sessions", "--json").output.utf8))
    #expect(listed.list?.compactMap { $0["session"]?.text } == ["\(session)"])
    #expect(try await run("show", "last").output.contains("\("\(session)".prefix(8))"))
    #expect(try await run("doctor", "--offline").output.contains(world.store))
    #expect(try await run("boards").output.contains("b0"))
    gateway.program.signal(SIGTERM)
    #expect(await gateway.program.wait().status == 0)
  }

  @Test func `a gateway that was frozen ignores a command whose client has left`() async throws {
    let gateway = try await world.startGateway()
    _ = try await session()
    gateway.program.signal(SIGSTOP)
    let unanswered = try await run("pause")
    gateway.program.signal(SIGCONT)
    #expect(unanswered.status == 1)
    #expect(
      unanswered.errors.contains("nothing was done, and the gateway will drop this request"),
      "\(unanswered.errors)")
    func isPaused() async throws -> Bool {
      let status = try JSON(parsing: Array(try await run("status", "--json").output.utf8))
      return try #require(status["recording"])["pause"]?.number != nil
    }
    #expect(try await !isPaused())
    #expect(try await run("pause").status == 0)
    try await wait(for: "the pause") { try await isPaused() }
    gateway.program.signal(SIGTERM)
    #expect(await gateway.program.wait().status == 0)
  }

  @Test
  func `a hazard gets the time at which the command was given, not the time at which it was read`()
    async throws
  {
    let gateway = try await world.startGateway()
    let session = try await session()
    let reader = try StoreReader(path: world.store)
    let start = try #require(try reader.session(session)).start
    func note(_ name: String, given: BootTime) async throws -> BootTime {
      let connection = try LocalConnection(to: world.scratch.path + "/run/status.sock")
      let until = BootClock.now().advanced(bySeconds: patience)
      let words = "[\"hazard\",\"last\",\"\(name)=1\"]"
      let times = "\"given_ns\":\(given.nanoseconds),\"until_ns\":\(until.nanoseconds)"
      _ = connection.send(
        Array("errand {\"store\":\"\(world.store)\",\"words\":\(words),\(times)}\n".utf8))
      var time: BootTime?
      try await wait(for: "the hazard") {
        time = try reader.hazards(of: session).first { $0.name == name }?.time
        return time != nil
      }
      return try #require(time)
    }
    let given = BootClock.now()
    try await Pause.seconds(0.3)
    let noted = try await note("Gate", given: given)
    #expect(abs(noted.nanoseconds - given.nanoseconds) < 1_000)
    let future = try await note("Kerb", given: BootClock.now().advanced(bySeconds: 3_600))
    #expect(future <= BootClock.now())
    let early = try await note("Ramp", given: start.advanced(bySeconds: -20))
    #expect(early == start || early.seconds(since: start) > 0)
    gateway.program.signal(SIGTERM)
    #expect(await gateway.program.wait().status == 0)
  }

  /// Writes a configuration that names the gateway's socket, but a store other than the gateway's.
  private func configuration(storingInto store: String) throws -> String {
    let other = world.scratch.path + "/other.conf"
    try """
    [store]
    path = \(store)
    [status]
    socket = \(world.scratch.path)/run/status.sock

    """.write(toFile: other, atomically: true, encoding: .utf8)
    return other
  }

  @Test func `a hazard for another store is not stored in the running gateway's store`()
    async throws
  {
    let gateway = try await world.startGateway()
    let session = try await session()
    let former = try #require(try StoreReader(path: own).sessions().first).id
    let other = try configuration(storingInto: own)
    let hazard = try await run("hazard", "last", "slope=1", configuration: other)
    #expect(hazard.status == 0, "\(hazard.errors)")
    #expect(hazard.errors.contains("the gateway uses another store: \(world.store)"))
    #expect(try StoreReader(path: own).hazards(of: former).contains { $0.name == "Slope" })
    let missing = world.scratch.path + "/none.sqlite"
    let refused = try await run(
      "annotate", "last", "x", configuration: try configuration(storingInto: missing))
    #expect(refused.status == 1)
    #expect(refused.errors.contains("there is no store at \(missing)"), "\(refused.errors)")
    #expect(try StoreReader(path: world.store).hazards(of: session).isEmpty)
    #expect(try StoreReader(path: world.store).annotations(of: session).isEmpty)
    gateway.program.signal(SIGTERM)
    #expect(await gateway.program.wait().status == 0)
  }

  @Test(.enabled(if: getuid() == 0, "only root can be another user"))
  func `the gateway stores a hazard for a user who cannot open the gateway's store`() async throws {
    let gateway = try await world.startGateway()
    let session = try await session()
    for (path, mode) in [("", 0o755), ("/run", 0o755), ("/run/status.sock", 0o666)] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: world.scratch.path + path)
    }
    func asNobody(_ arguments: String...) async throws -> Program.Outcome {
      try await Program.run(
        "/usr/bin/setpriv",
        ["--reuid=65534", "--regid=65534", "--clear-groups", Program.footbridge] + arguments,
        environment: world.environment.merging([
          "FOOTBRIDGE_STORE": "", "FOOTBRIDGE_CONFIG": world.configuration,
        ]) { $1 })
    }
    #expect(try await asNobody("sessions").status == 1)
    let hazard = try await asNobody("hazard", "last", "slope=1")
    #expect(hazard.status == 0, "\(hazard.errors)")
    #expect(try StoreReader(path: world.store).hazards(of: session).map(\.name) == ["Slope"])
    #expect(try await asNobody("hazard", "last", "S=1").status == 2)
    let missing = try await asNobody("annotate", "zz", "x")
    #expect(missing.status == 1)
    #expect(missing.errors.contains("no session's id begins with 'zz'"), "\(missing.errors)")
    gateway.program.signal(SIGTERM)
    #expect(await gateway.program.wait().status == 0)
  }

  @Test(.enabled(if: getuid() == 0, "only root can be another user"))
  func `the remedies that commands print work when typed into a shell`() async throws {
    let folder = world.scratch.path
    // A link to the program in the user's `PATH`, and a substitute for sudo that drops all
    // variables.
    try FileManager.default.createDirectory(
      atPath: folder + "/bin", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/bin/footbridge", withDestinationPath: Program.footbridge)
    try """
    #!/bin/sh
    test "$1 $2" = "-u root" && shift 2
    exec env -u FOOTBRIDGE_STORE -u FOOTBRIDGE_CONFIG -u XDG_DATA_HOME "$@"

    """.write(toFile: folder + "/bin/sudo", atomically: true, encoding: .utf8)
    for (path, mode) in [("/bin/sudo", 0o755), ("/home/footbridge", 0o700)] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: folder + path)
    }
    let environment = world.environment.merging([
      "FOOTBRIDGE_STORE": own, "PATH": "\(folder)/bin:/usr/bin:/bin",
    ]) { $1 }
    func expectToWork(_ command: String) async throws -> String {
      let typed = try await Program.run("/bin/sh", ["-c", command], environment: environment)
      #expect(typed.status == 0, "\(command): \(typed.errors)")
      return typed.output
    }
    let refused = try await Program.run(
      "/usr/bin/setpriv",
      ["--reuid=65534", "--regid=65534", "--clear-groups", Program.footbridge, "sessions"],
      environment: environment)
    let remedy = try #require(
      refused.errors.firstMatch(of: #/run the command as the store's owner: (.+)/#), "\(refused)")
    let session = try #require(try StoreReader(path: own).sessions().first).id
    #expect(try await expectToWork("\(remedy.1)").contains("\(session)".prefix(8)))
    for mistaken in [
      ["show", "zz"], ["annotate", "last", "x", "--instead-of", "y"], ["identify", "lft"],
      ["destination", "test", "office"], ["forget", "lft"],
    ] {
      let outcome = try await Program.run(Program.footbridge, mistaken, environment: environment)
      #expect(outcome.status != 0, "\(mistaken)")
      for quote in outcome.errors.matches(of: #/'(footbridge [^'A-Z]+)'/#) {
        _ = try await expectToWork("\(quote.1)" + (quote.1.hasSuffix("scan") ? " --seconds 1" : ""))
      }
    }
  }
}
