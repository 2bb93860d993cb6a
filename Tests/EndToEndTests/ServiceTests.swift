import Foundation
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// `footbridge run` and its status, with the program started as a service manager would start it.
@Suite(.realTime) struct ServiceTests {
  private let world: BoardsWorld
  private var configuration: String { world.scratch.path + "/footbridge.conf" }
  private var socket: String { world.scratch.path + "/run/status.sock" }

  init() async throws {
    world = try await BoardsWorld(boards: 2)
  }

  /// Creates a world with a board that hangs after ten seconds. Its daemon needs the given number
  /// of seconds to end a link.
  private init(slowing seconds: Int) async throws {
    world = try await BoardsWorld(
      boards: 1, ["--fault", "hang@10", "--daemon-fault", "slow-disconnect@0:\(seconds)"])
  }

  /// Writes a configuration with these additional lines.
  private func configure(_ further: String = "", boards: Int = 2) throws {
    var text = ""
    for (number, address) in world.addresses.prefix(boards).enumerated() {
      text += "[board b\(number)]\naddress = \(address)\nplacement = ankle \(number)\n"
    }
    text += "[store]\npath = \(world.store)\n\(further)\n"
    if !further.contains("[status]") { text += "[status]\n" }
    text += "socket = \(socket)\n"
    try text.write(toFile: configuration, atomically: true, encoding: .utf8)
  }

  private func start(_ environment: [String: String] = [:]) throws -> Program {
    try Program(
      Program.footbridge, ["run", "--config", configuration],
      environment: world.environment.merging(environment) { $1 })
  }

  private func status() async throws -> JSON {
    let outcome = try await world.run("status", "--json", "--config", configuration)
    return (try? JSON(parsing: Array(outcome.output.utf8))) ?? .null
  }

  /// Waits until each board has sent this number of samples in the current session.
  private func stream(_ count: Int = 100) async throws {
    try await wait(for: "samples") {
      let boards = try await status()["boards"]?.list ?? []
      return !boards.isEmpty
        && boards.allSatisfy { board in
          board["streams"]?.list?.contains { $0["received"]?.integer ?? 0 >= count } ?? false
        }
    }
  }

  /// Returns, for each session in the store, whether the session is closed and how many samples it
  /// has.
  private func sessions() throws -> [(isClosed: Bool, samples: UInt64)] {
    let reader = try StoreReader(path: world.store)
    return try reader.sessions().map { session in
      let samples = try reader.streams(of: session.id).reduce(0) { $0 + UInt64($1.sampleCount) }
      return (session.end != nil, samples)
    }
  }

  @Test
  func `the status shows a working gateway, and SIGTERM closes the session within five seconds`()
    async throws
  {
    try configure()
    let program = try start()
    try await stream()
    let shown = try await world.run("status", "--config", configuration)
    #expect(shown.status == 0, "\(shown.output)")
    #expect(shown.output.hasPrefix("Works"), "\(shown.output)")
    #expect(shown.output.contains("b0"))
    let asked = GivenTime.now
    program.signal(SIGTERM)
    let outcome = await program.wait()
    #expect(GivenTime.now.seconds(since: asked) < 5)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try sessions().map(\.isClosed) == [true])
    #expect(try sessions()[0].samples >= 400)
    let reader = try StoreReader(path: world.store)
    let session = try #require(try reader.sessions().first)
    #expect(try Set(reader.placements(of: session.id).values) == ["ankle 0", "ankle 1"])
    #expect(try Set(reader.boards(of: session.id).map(\.name)) == ["b0", "b1"])
    let unread = try await Program.run(
      "/bin/sh",
      ["-c", "\"$0\" status --watch --json --config \"$1\" > /dev/full"]
        + [Program.footbridge, configuration], environment: world.environment)
    #expect(unread.status == 1)
    let gone = try await world.run("status", "--config", configuration)
    #expect(gone.status == 1)
    #expect(gone.errors.hasPrefix("error: the gateway does not respond: "), "\(gone.errors)")
    await world.endWithoutComplaints()
  }

  @Test
  func `after SIGHUP, a recording with the same boards continues, and an invalid file is rejected`()
    async throws
  {
    try configure()
    let program = try start()
    try await stream()
    let session = try await status()["recording"]?["session"]?.text
    try configure("[upload]\nwhen = never")
    program.signal(SIGHUP)
    #expect(await program.remarks { $0.contains("recording=continues") })
    try configure("[upload]\nwhen = sometimes")
    program.signal(SIGHUP)
    #expect(await program.remarks { $0.contains("configuration not reloaded") })
    let troubles = try await status()["troubles"]?.list ?? []
    let trouble = try #require(troubles.first { $0["subject"]?.text == "configuration" })
    #expect(trouble["level"]?.text == "warning")
    #expect(trouble["remedy"]?.text?.contains("\(configuration):") == true)
    #expect(try await status()["works"]?.bool == true)
    try await stream(300)
    #expect(try await status()["recording"]?["session"]?.text == session)
    try configure(boards: 1)
    program.signal(SIGHUP)
    try await wait(for: "another session") {
      let recording = try await status()["recording"]
      let present = recording?["session"]?.text
      return present != nil && present != session
    }
    #expect(try await status()["boards"]?.list?.count == 1)
    program.signal(SIGTERM)
    #expect(await program.wait().status == 0)
    #expect(try sessions().map(\.isClosed) == [true, true])
    await world.endWithoutComplaints()
  }

  @Test
  func `a second SIGTERM ends the gateway at once, and the session is recovered at the next start`()
    async throws
  {
    let slow = try await ServiceTests(slowing: 30)
    try slow.configure(boards: 1)
    let program = try slow.start()
    try await slow.stream()
    program.signal(SIGTERM)
    try await wait(for: "the end") {
      try await slow.status()["recording"]?["phase"]?.text == "ending"
    }
    let asked = GivenTime.now
    program.signal(SIGTERM)
    let outcome = await program.wait()
    #expect(outcome.status == 143, "\(outcome.errors)")
    #expect(GivenTime.now.seconds(since: asked) < 1)
    // On a busy machine the session may have been closed before the second signal arrived.
    guard try slow.sessions().last?.isClosed == false else { return }
    let next = try slow.start()
    #expect(await next.remarks { $0.contains("event=recovered") })
    next.signal(SIGTERM)
    #expect(await next.wait().status == 0)
  }

  @Test func `slow disconnections do not delay the gateway's exit beyond five seconds`()
    async throws
  {
    let slow = try await ServiceTests(slowing: 30)
    try slow.configure(boards: 1)
    let program = try slow.start()
    try await slow.stream()
    let asked = GivenTime.now
    program.signal(SIGTERM)
    let outcome = await program.wait()
    #expect(GivenTime.now.seconds(since: asked) < 5)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try slow.sessions().map(\.isClosed) == [true])
  }

  @Test func `a deleted store is reported within ten seconds, and a new one is created`()
    async throws
  {
    try configure()
    let program = try start()
    try await stream()
    let session = try await status()["recording"]?["session"]?.text
    let deleted = GivenTime.now
    try FileManager.default.removeItem(atPath: world.store)
    let reason = "was deleted or replaced during the recording"
    // The fault lasts only for the few seconds until the next recording. A busy machine may miss it
    // in the status, but the log always contains it.
    try await wait(for: "a fault") {
      let status = try await status()
      if status["works"]?.bool == false {
        let trouble = status["troubles"]?.list?.first
        #expect(trouble?["text"]?.text?.hasSuffix(reason) == true)
        return true
      }
      return await program.remarks(within: 0) { $0.contains(reason) }
    }
    #expect(GivenTime.now.seconds(since: deleted) < 10)
    try await wait(for: "another session") {
      let present = try await status()["recording"]?["session"]?.text
      return present != nil && present != session
    }
    program.signal(SIGTERM)
    #expect(await program.wait().status == 0)
    #expect(try sessions().map(\.isClosed) == [true, true])
    let reader = try StoreReader(path: world.store)
    for session in try reader.sessions() {
      #expect(try Set(reader.placements(of: session.id).values) == ["ankle 0", "ankle 1"])
    }
    await world.endWithoutComplaints()
  }

  @Test
  func `a receiver that is not a serial port is reported, and the samples are still recorded`()
    async throws
  {
    try configure("[receiver]\ngps = /etc/passwd")
    let program = try start()
    try await stream()
    try await wait(for: "the trouble") {
      try await status()["troubles"]?.list?.contains { $0["subject"]?.text == "receiver" } ?? false
    }
    program.signal(SIGTERM)
    let outcome = await program.wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.errors.contains("cannot use /etc/passwd as a GPS receiver"), "\(outcome.errors)")
    #expect(try sessions().count == 1 && sessions()[0].samples > 0)
    await world.endWithoutComplaints()
  }

  @Test func `the status command fails if it cannot write its output`() async throws {
    try configure("[recording]\nwhen = command")
    let program = try start()
    try await wait(for: "the socket") { try await status()["works"]?.bool == true }
    let closed = try await Program.run(
      "/bin/sh",
      ["-c", "\"$0\" status --config \"$1\" >&-", Program.footbridge, configuration],
      environment: world.environment)
    #expect(closed.status == 1)
    #expect(closed.errors.hasPrefix("error: cannot write to standard output"), "\(closed.errors)")
    program.signal(SIGTERM)
    #expect(await program.wait().status == 0)
  }

  @Test func `commands start and stop a recording in the running gateway`() async throws {
    try configure("[recording]\nwhen = command")
    let program = try start()
    try await wait(for: "the socket") { try await status()["works"]?.bool == true }
    #expect(try await status()["recording"]?["phase"]?.text == "waiting")
    let begun = try await world.run("start", "--config", configuration)
    #expect(begun.output == "The gateway is recording.\n")
    #expect(try sessions().count == 1)
    try await stream()
    let ended = try await world.run("stop", "--socket", socket)
    #expect(ended.output == "The gateway is closing the session.\n")
    try await wait(for: "the end") { try sessions().first?.isClosed == true }
    try await wait(for: "a gateway without a session") {
      try await status()["recording"]?["session"]?.text == nil
    }
    let again = try await world.run("stop", "--socket", socket)
    #expect(again.output == "No session is open, and the gateway will not start one.\n")
    program.signal(SIGTERM)
    #expect(await program.wait().status == 0)
    await world.endWithoutComplaints()
  }

  @Test
  func `'start' does not report success if the gateway is killed before the session begins`()
    async throws
  {
    try """
    [board absent]
    address = 11:22:33:44:55:66
    [recording]
    when = command
    [store]
    path = \(world.store)
    [status]
    socket = \(socket)

    """.write(toFile: configuration, atomically: true, encoding: .utf8)
    let program = try start()
    try await wait(for: "the socket") { try await status()["works"]?.bool != nil }
    let command = try world.start("start", "--config", configuration)
    try await wait(for: "the search") {
      try await status()["recording"]?["phase"]?.text != "waiting"
    }
    program.signal(SIGKILL)
    _ = await program.wait()
    let outcome = await command.wait()
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("the gateway does not respond"), "\(outcome.errors)")
  }

  @Test func `commands pause and resume the recording in the running gateway`()
    async throws
  {
    try configure("[recording]\nwhen = command")
    let program = try start()
    try await wait(for: "the socket") { try await status()["works"]?.bool == true }
    let early = try await world.run("pause", "--config", configuration)
    #expect(early.status == 1)
    #expect(
      early.errors == """
        error: the gateway rejected 'pause': nothing is being recorded
               'footbridge status --config \(configuration)' shows what the gateway is doing

        """)
    #expect(try await world.run("start", "--config", configuration).status == 0)
    try await stream()
    let paused = try await world.run("pause", "--socket", socket)
    let resume = "footbridge resume --socket \(socket)"
    #expect(paused.output == "The recording is paused. '\(resume)' continues it.\n")
    try await wait(for: "the pause") {
      try await world.run("status", "--config", configuration).output.contains("; paused for ")
    }
    let resumed = try await world.run("resume", "--config", configuration)
    #expect(resumed.output == "The recording continues.\n")
    try await wait(for: "samples") {
      try await status()["recording"]?["pause"]?.number == nil
    }
    program.signal(SIGTERM)
    #expect(await program.wait().status == 0)
    let shown = try await world.run("show", "last")
    #expect(shown.output.contains("paused"), "\(shown.output)")
    await world.endWithoutComplaints()
  }

  @Test func `a recording that is killed repeatedly remains one session, and each gap is counted`()
    async throws
  {
    try configure()
    for _ in 0..<3 {
      let program = try start()
      try await stream()
      program.signal(SIGKILL)
      _ = await program.wait()
    }
    let next = try start()
    try await stream()
    #expect(await next.remarks { $0.contains("event=recovered") })
    let other = try await Program.run(
      Program.footbridge, ["run", "--config", configuration], environment: world.environment)
    #expect(other.status == 1)
    #expect(other.errors.contains("another gateway is already running"), "\(other.errors)")
    next.signal(SIGTERM)
    #expect(await next.wait().status == 0)
    #expect(try sessions().map(\.isClosed) == [true])
    let shown = try await world.run("show", "last", "--json", "--store", world.store)
    let session = try JSON(parsing: Array(shown.output.utf8))
    let streams = try #require(session["streams"]?.list)
    #expect(streams.count == 4)
    for stream in streams {
      #expect(stream["lost"]?["interrupted"]?.integer ?? 0 > 0, "\(shown.output)")
    }
    let events = session["events"]?.list?.filter { $0["kind"]?.text == "continued" }
    #expect(events?.count == 3)
    await world.endWithoutComplaints()
  }

  @Test func `samples left by a crash are uploaded as soon as the next gateway has recovered them`()
    async throws
  {
    let stick = world.scratch.path + "/stick"
    try FileManager.default.createDirectory(atPath: stick, withIntermediateDirectories: true)
    try configure()
    let program = try start()
    try await stream()
    program.signal(SIGKILL)
    _ = await program.wait()
    let added = try await world.run(
      "destination", "add", "stick", "--folder", stick, "--store", world.store)
    #expect(added.status == 0, "\(added.errors)")
    let next = try start()
    #expect(await next.remarks { $0.contains("event=recovered") })
    let taken = GivenTime.now
    try await wait(for: "the samples at their destination") {
      let files = try? FileManager.default.subpathsOfDirectory(atPath: "\(stick)/chunks")
      return files?.contains { $0.hasSuffix(".chunk") } ?? false
    }
    // Unless it is notified, the uploader checks for chunks only once a minute.
    #expect(GivenTime.now.seconds(since: taken) < 15)
    next.signal(SIGTERM)
    #expect(await next.wait().status == 0)
    await world.endWithoutComplaints()
  }

  @Test func `a session without a full chunk is uploaded within seconds of its end`() async throws {
    let stick = world.scratch.path + "/stick"
    try FileManager.default.createDirectory(atPath: stick, withIntermediateDirectories: true)
    try configure("[recording]\nwhen = command")
    let program = try start()
    try await wait(for: "the socket") { try await status()["works"]?.bool == true }
    #expect(try await world.run("start", "--config", configuration).status == 0)
    let added = try await world.run(
      "destination", "add", "stick", "--folder", stick, "--store", world.store)
    #expect(added.status == 0, "\(added.errors)")
    // By this time the uploader has found nothing to send, and its next check is a minute away.
    try await stream(1_000)
    #expect(try await world.run("stop", "--socket", socket).status == 0)
    try await wait(for: "the end") { try sessions().first?.isClosed == true }
    let ended = GivenTime.now
    try await wait(for: "the samples at their destination") {
      let files = try? FileManager.default.subpathsOfDirectory(atPath: "\(stick)/chunks")
      return files?.contains { $0.hasSuffix(".chunk") } ?? false
    }
    #expect(GivenTime.now.seconds(since: ended) < 15)
    program.signal(SIGTERM)
    #expect(await program.wait().status == 0)
    await world.endWithoutComplaints()
  }

  @Test func `the service manager is notified of readiness, status changes and the stop`()
    async throws
  {
    let path = world.scratch.path + "/notify.sock"
    let manager = try Program(
      "/usr/bin/python3",
      [
        "-c",
        "import socket, sys\ns = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
          + "s.bind(sys.argv[1])\nprint('listening', flush=True)\n"
          + "while True: print(s.recv(4096).decode().replace(chr(10), ' '), flush=True)", path,
      ])
    _ = await manager.line { $0 == "listening" }
    try configure()
    let program = try start(["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "4000000"])
    #expect(await manager.line { $0 == "READY=1" } != nil)
    #expect(await manager.line { $0.hasPrefix("STATUS=works") } != nil)
    #expect(await manager.line { $0 == "WATCHDOG=1" } != nil)
    program.signal(SIGHUP)
    #expect(await manager.line { $0.hasPrefix("RELOADING=1 MONOTONIC_USEC=") } != nil)
    program.signal(SIGTERM)
    #expect(await program.wait().status == 0)
    #expect(manager.lines.contains("STOPPING=1"))
    await world.endWithoutComplaints()
  }

  @Test
  func `a faulty configuration is rejected, all its faults are listed, and nothing is opened`()
    async throws
  {
    try "[board]\n[recording]\nwhen = never\nseal = 0\n".write(
      toFile: configuration, atomically: true, encoding: .utf8)
    let outcome = try await Program.run(
      Program.footbridge, ["run", "--config", configuration], environment: world.environment)
    #expect(outcome.status == 2)
    for line in [":1: ", ":3: ", ":4: "] {
      #expect(outcome.errors.contains(configuration + line), "\(outcome.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: world.store))
    await world.endWithoutComplaints()
  }

  @Test func `Prometheus can read the status over HTTP, and nothing else is served`() async throws {
    let free = try TCPListener().port
    try configure("[status]\nprometheus = 127.0.0.1:\(free)")
    let program = try start()
    try await stream()
    let answer = try #require(try RawConnection(port: free).ask("GET", "/metrics"))
    #expect(answer.status == 200)
    #expect(answer.text.contains("\nfootbridge_works 1\n"), "\(answer.text)")
    #expect(answer.text.contains("# TYPE footbridge_session_samples_received_total counter\n"))
    #expect(answer.text.contains(#"footbridge_board_sample_age_seconds{board="b0"} "#))
    #expect(try RawConnection(port: free).ask("GET", "/")?.status == 404)
    let refusal = try RawConnection(port: free).ask("POST", "/metrics", body: [1])
    #expect(refusal?.status == 405 && refusal?.fields["allow"] == "GET, HEAD")
    program.signal(SIGTERM)
    #expect(await program.wait().status == 0)
    await world.endWithoutComplaints()
  }
}
