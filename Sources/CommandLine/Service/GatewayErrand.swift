internal import Gateway
internal import LinuxSystem
internal import Terminal
internal import Values

/// A command that the running gateway can also perform in its own store on behalf of other users.
/// These users need access to the gateway's socket, but not to the store.
protocol ErrandVerb: StoreVerb {
  var store: StoreLocation { get set }
  /// Performs the command, and returns the text to print.
  func perform(_ console: Console) throws -> String
}

extension ErrandVerb {
  func run(_ console: Console) async throws -> ExitStatus {
    try console.print(perform(console))
    return .ok
  }

  /// Asks the running gateway to perform the command, and returns the result. Returns `nil` if no
  /// running gateway uses the store. `words` is the command line.
  func byGateway(_ words: [String], _ console: Console) throws(Complaint) -> String? {
    guard let socket = try store.gatewaySocket() else { return nil }
    let client = StatusClient(path: socket)
    guard client.isHeard else { return nil }
    let times = RequestTimes(seconds: ErrandDesk.waitSeconds)
    let errand = GatewayErrand(
      words: words, store: Folder.absolute(try store.path()), times: times)
    let answer = try client.ask(
      errand.request, patience: ErrandDesk.clientSeconds, times: times,
      inDoubt: "the note may have been stored: check 'footbridge show last' before you repeat it")
    if let result = answer["result"]?.text { return result }
    // A gateway that runs an earlier release cannot perform a client's command in its store.
    guard let reason = answer["error"]?.text, let remedy = answer["remedy"]?.text else {
      return nil
    }
    guard answer["store"] == nil else {
      console.notice("running gateway not used", ["reason": reason, "remedy": remedy])
      return nil
    }
    let status = ExitStatus.allCases.first { Int($0.rawValue) == answer["status"]?.integer }
    throw Complaint(reason, remedy: remedy, status: status ?? .failed)
  }
}

/// A request to the gateway to perform a command: the command line and the store's path, as sent
/// over the socket.
struct GatewayErrand: Hashable, Sendable {
  /// The command-line arguments after the program's name.
  var words: [String]
  /// The absolute path of the store.
  var store: String
  /// The time and deadline of the request; `nil` if the client is from an earlier release.
  var times: RequestTimes?

  private static let verbs: [String: any ErrandVerb.Type] = [
    HazardCommand.definition.name: HazardCommand.self,
    AnnotateCommand.definition.name: AnnotateCommand.self,
    TaskCommand.definition.name: TaskCommand.self,
  ]
  private static let beginning = "errand "

  /// The request, encoded for the socket.
  var request: String {
    let members: [JSONValue.Member] = [
      .init("store", store), .init("words", words),
    ]
    return Self.beginning + JSONValue.object(members + (times?.members ?? [])).text
  }
}

extension GatewayErrand {
  /// Parses a request. Returns `nil` if the request is not an errand.
  init?(_ request: String) {
    guard request.hasPrefix(Self.beginning),
      let value = try? JSON(parsing: Array(request.dropFirst(Self.beginning.count).utf8)),
      let store = value["store"]?.text, let words = value["words"]?.list
    else { return nil }
    self.store = store
    self.words = words.compactMap(\.text)
    times = RequestTimes(value)
  }

  /// Performs the errand in the gateway's store. Returns the result or the error. An errand for
  /// another store is rejected.
  func answer(in store: String, _ console: Console) -> JSONValue {
    // The client may lack permission to follow symbolic links in the path, so the gateway resolves
    // them.
    guard PathPattern.target(of: self.store) == PathPattern.target(of: store) else {
      return [
        "error": .string("the gateway uses another store: \(store)"),
        "remedy": "to write to that store, set FOOTBRIDGE_CONFIG to the gateway's configuration",
        "store": store.json,
      ]
    }
    do {
      guard let verb = words.first.flatMap({ Self.verbs[$0] }) else {
        throw Complaint(
          "the gateway does not accept this command",
          remedy: "run the command as the gateway's user")
      }
      return ["result": .string(try result(of: verb, in: store, console))]
    } catch {
      return Self.answer(to: error)
    }
  }

  /// Returns the response that reports a failure.
  static func answer(to error: any Error) -> JSONValue {
    let complaint = Complaint(explaining: error)
    return [
      "error": complaint.message.json, "remedy": complaint.remedy.json,
      "status": complaint.status.rawValue.json,
    ]
  }

  private func result<V: ErrandVerb>(
    of verb: V.Type, in store: String, _ console: Console
  ) throws -> String {
    var verb = try Command.verb(
      verb, of: Commands.self, Array(words.dropFirst()),
      environment: [StoreLocation.variable: store])
    guard verb.store.given == nil else {
      throw Complaint(
        "the gateway writes only to its own store", remedy: "leave '--store' out")
    }
    verb.store.asked = times?.noted(at: BootClock.now())
    return try verb.perform(console)
  }
}

/// Performs errands one at a time, on a thread that exits when the queue is empty. An errand may
/// have to wait for the disk, so the queue is short. An errand is rejected if the queue is full or
/// if the errand has waited too long.
final class ErrandDesk: Sendable {
  typealias Work = @Sendable (GatewayErrand) -> JSONValue

  /// Seconds that a client waits for the response to an errand. The gateway takes less time than
  /// this for a single errand.
  static let clientSeconds = StatusServer.answerSeconds + 2 * StatusServer.clientSeconds
  /// The maximum number of errands in the queue, which is lower than the server's maximum number of
  /// clients.
  static let mostWaiting = 4
  /// The maximum number of seconds that an errand waits in the queue. The gateway performs an
  /// errand before the client stops waiting, or not at all.
  static let waitSeconds = StatusServer.answerSeconds / 3

  private struct Waiting: Sendable {
    let errand: GatewayErrand
    let arrival: BootTime
    let reply: @Sendable (String) -> Void
  }

  private let tasks = Guarded<(waiting: [Waiting], isWorking: Bool)>(([], false))
  private let waitSeconds: Double
  private let work: Work

  init(waitSeconds: Double = waitSeconds, _ work: @escaping Work) {
    self.waitSeconds = waitSeconds
    self.work = work
  }

  /// Queues an errand without blocking. Calls `reply` when the errand begins and again with the
  /// result, or once if the errand is rejected.
  func take(_ errand: GatewayErrand, _ reply: @escaping @Sendable (String) -> Void) {
    let task = Waiting(errand: errand, arrival: BootClock.now(), reply: reply)
    let (isTaken, isFirst) = tasks.withLock { tasks in
      let isTaken = tasks.waiting.count < Self.mostWaiting
      if isTaken { tasks.waiting.append(task) }
      defer { tasks.isWorking = true }
      return (isTaken, !tasks.isWorking)
    }
    if !isTaken { reply(Self.busy.text + "\n") }
    guard isFirst else { return }
    do throws(SystemError) {
      try NamedThread("errand") { [self] in
        while let task = next() {
          let now = BootClock.now()
          let isLate =
            task.errand.times?.isOver(at: now) ?? false
            || now.seconds(since: task.arrival) >= waitSeconds
          if !isLate { task.reply(StatusServer.hasBegun) }
          task.reply((isLate ? Self.busy : work(task.errand)).text + "\n")
        }
      }.letGo()
    } catch {
      while let task = next() { task.reply(GatewayErrand.answer(to: error).text + "\n") }
    }
  }

  private func next() -> Waiting? {
    tasks.withLock { tasks in
      if tasks.waiting.isEmpty {
        tasks.isWorking = false
        return nil
      }
      return tasks.waiting.removeFirst()
    }
  }

  private static let busy = GatewayErrand.answer(
    to: Complaint(
      "the gateway is busy, and nothing was stored", remedy: "try again in a few seconds"))
}
