@testable import CommandLineTool
import Foundation
@testable import Gateway
@testable import Terminal
import LinuxSystem
import TestSupport
import Testing
import Values

/// Commands that the running gateway performs for other processes.
@Suite(.realTime) struct GatewayErrandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Writes a configuration with the store and the socket in the test's folder, and returns its
  /// path.
  private func configuration() throws -> String {
    let file = folder.path + "/f.conf"
    try Data(
      """
      [store]
      path = \(folder.path)/w.sqlite
      [status]
      socket = \(folder.path)/status.sock

      """.utf8
    ).write(to: URL(filePath: file))
    return file
  }

  /// Creates a gateway with this uptime and no session. Its reply to a command reports whether a
  /// session was open before the command.
  private func gateway(uptime: Double, wasOpen: Bool, isSilent: Bool = false) throws -> StatusServer
  {
    try StatusServer(at: folder.path + "/status.sock") { request, reply in
      guard request == "status" else {
        return reply("{\"done\":true,\"wasOpen\":\(wasOpen)}\n")
      }
      let recording = GatewayStatus.Recording(
        phase: .starting, phaseAge: 0, rule: RecordingWish.Rule(.command))
      var status = GatewayStatus(
        version: "1", uptime: uptime, recording: recording,
        clock: GatewayStatus.Clock(isSynchronised: true))
      status.judge()
      reply(isSilent ? "" : status.json.text + "\n")
    }
  }

  private func errand(_ word: String) -> GatewayErrand {
    GatewayErrand(words: [word], store: "/srv/w.sqlite")
  }

  @Test
  func `a command sent to the gateway names a store, and is rejected if the gateway uses another`()
    async
  {
    let errand = GatewayErrand(words: ["hazard", "last", "a \"b\""], store: "/srv/w.sqlite")
    #expect(GatewayErrand(errand.request) == errand)
    #expect(GatewayErrand(#"errand ["hazard","last","slope=1"]"#) == nil)
    let console = Console(output: MemorySink(), errors: MemorySink())
    let answer = errand.answer(in: "/srv/other.sqlite", console).text
    #expect(answer.contains("the gateway uses another store: /srv/other.sqlite"))
  }

  @Test
  func `the gateway performs one command at a time, and rejects commands if its queue is full`()
    async throws
  {
    let gate = DispatchSemaphore(value: 0)
    let done = Guarded<[String]>([])
    let replies = Guarded<[String]>([])
    let desk = ErrandDesk { errand in
      gate.wait()
      done.withLock { $0 += errand.words }
      return ["result": .string(errand.words[0])]
    }
    let reply: @Sendable (String) -> Void = { text in
      if text != StatusServer.hasBegun { replies.withLock { $0.append(text) } }
    }
    desk.take(errand("0"), reply)
    // The first command is in progress when the others arrive.
    for number in 1...20 { desk.take(errand("\(number)"), reply) }
    let refused = replies.withLock { $0 }
    #expect(refused.count >= 20 - ErrandDesk.mostWaiting && done.withLock { $0.isEmpty })
    #expect(refused.allSatisfy { $0.contains("the gateway is busy, and nothing was stored") })
    for _ in 0..<21 { gate.signal() }
    try await wait(for: "all replies") { replies.withLock { $0.count } == 21 }
    let numbers = done.withLock { $0 }
    #expect(numbers.first == "0" && numbers.count == 21 - refused.count)
  }

  @Test func `a command that waits too long in the queue has no effect`() async throws {
    let replies = Guarded<[String]>([])
    let isDone = Guarded(false)
    let desk = ErrandDesk(waitSeconds: 0) { _ in
      isDone.withLock { $0 = true }
      return ["result": ""]
    }
    desk.take(errand("hazard")) { text in replies.withLock { $0.append(text) } }
    try await wait(for: "the reply") { replies.withLock { $0.count } == 1 }
    #expect(replies.withLock { $0[0].contains("nothing was stored") } && !isDone.withLock { $0 })
    #expect(ErrandDesk.clientSeconds > StatusServer.answerSeconds + StatusServer.clientSeconds)
  }

  @Test func `an expired command has no effect, and a command without times is performed`()
    async throws
  {
    let replies = Guarded<[String]>([])
    let done = Guarded<[String]>([])
    let desk = ErrandDesk(waitSeconds: .infinity) { errand in
      done.withLock { $0 += errand.words }
      return ["result": ""]
    }
    var late = errand("late")
    late.times = RequestTimes(seconds: 0)
    var wanted = errand("wanted")
    wanted.times = RequestTimes(seconds: patience)
    #expect(GatewayErrand(wanted.request) == wanted)
    for errand in [late, wanted, errand("of an earlier release")] {
      desk.take(errand) { text in replies.withLock { $0.append(text) } }
    }
    try await wait(for: "the replies") { replies.withLock { $0.count } == 5 }
    #expect(done.withLock { $0 } == ["wanted", "of an earlier release"])
    #expect(
      replies.withLock { $0[0].contains("nothing was stored") && $0[1] == StatusServer.hasBegun })
  }

  @Test
  func `a command contains its send and expiry times; a command without times is accepted`()
    throws
  {
    let times = RequestTimes(seconds: 3)
    let parts = RequestTimes.parting(times.request("pair look"))
    #expect(parts.command == "pair look" && parts.times == times)
    #expect(RequestTimes.parting("pause").command == "pause")
    #expect(RequestTimes.parting("pause").times == nil)
    #expect(RequestTimes.parting("pause {\"given_ns\":1}").command.hasPrefix("pause {"))
    #expect(!times.isOver(at: times.given) && times.isOver(at: times.until))
    // The gateway may start a command just before it expires. The client therefore waits a little
    // longer before it assumes that the command was dropped.
    #expect(!times.isDropped(at: times.until))
    #expect(times.isDropped(at: times.given.advanced(bySeconds: RequestTimes.commandPatience)))
    let later = times.given.advanced(bySeconds: 100)
    #expect(times.noted(at: later) == later.advanced(bySeconds: -ErrandDesk.clientSeconds))
    let earlier = times.given.advanced(bySeconds: -1)
    #expect(times.noted(at: earlier) == earlier)
  }

  @Test func `if the gateway does not reply, the error says that the note may have been stored`()
    async throws
  {
    let requests = Guarded<[String]>([])
    let server = try StatusServer(at: folder.path + "/status.sock") { request, reply in
      requests.withLock { $0.append(request) }
      reply("")
    }
    defer { server.stop() }
    let file = try configuration()
    let outcome = await Outcome.of(
      ["annotate", "last", "a gate"], environment: ["FOOTBRIDGE_CONFIG": file],
      commands: Commands.all)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("the note may have been stored"), "\(outcome.errors)")
    let sent = try #require(requests.withLock { $0 }.last.flatMap { GatewayErrand($0) })
    #expect(sent.words == ["annotate", "last", "a gate"])
    #expect(sent.store == folder.path + "/w.sqlite")
    #expect(sent.times?.isOver(at: BootClock.now().advanced(bySeconds: 3_600)) == true)
  }

  @Test
  func `a stop command that closed the session reports success, even if the status update is late`()
    async throws
  {
    let server = try gateway(uptime: 60, wasOpen: true, isSilent: true)
    defer { server.stop() }
    let outcome = await Outcome.of(
      ["stop", "--config", try configuration()], commands: Commands.all)
    #expect(outcome.output == "The gateway is closing the session.\n", "\(outcome.errors)")
  }

  @Test func `a start command lost in a gateway restart is not reported as done`()
    async throws
  {
    let server = try gateway(uptime: -1, wasOpen: false)
    defer { server.stop() }
    let outcome = await Outcome.of(
      ["start", "--config", try configuration()], commands: Commands.all)
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(
      outcome.errors == """
        error: the gateway was restarted and lost the command
               run the command again

        """)
  }

  @Test
  func `if a start command opens no session, the reply says so and gives the gateway's state`()
    async throws
  {
    let server = try gateway(uptime: 3_600, wasOpen: false)
    defer { server.stop() }
    let output = MemorySink()
    let place = StatusPlace(
      socket: folder.path + "/status.sock",
      configuration: ConfigurationLocation(environment: [:]))
    let status = try await StartCommand(place: place, patience: 0).run(
      Console(output: output, errors: MemorySink()))
    #expect(status == .ok)
    #expect(
      output.text == """
        No session is open yet. The gateway does not work: recording: the configuration lists no boards.
        'footbridge status' shows when the gateway records.

        """)
  }
}
