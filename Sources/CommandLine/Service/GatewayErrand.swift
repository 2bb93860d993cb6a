internal import Gateway
internal import LinuxSystem
internal import Terminal
internal import Values

/// A command that the running gateway also performs for other users, in its own store: they need
/// access to its socket, but not to its store.
protocol ErrandVerb: StoreVerb {
  var store: StoreLocation { get set }
  /// Performs the command, and returns the result to print.
  func perform(_ console: Console) throws -> String
}

extension ErrandVerb {
  func run(_ console: Console) async throws -> ExitStatus {
    try console.print(perform(console))
    return .ok
  }

  /// Lets the running gateway perform the command, and returns the result; `nil` if no running
  /// gateway has the store. The words are those of the command line.
  func byGateway(_ words: [String], _ console: Console) throws(Complaint) -> String? {
    guard let socket = try store.gatewaySocket() else { return nil }
    let client = StatusClient(path: socket)
    guard client.isHeard else { return nil }
    let times = RequestTimes(seconds: ErrandDesk.waitSeconds)
    let errand = GatewayErrand(
      words: words, store: Folder.absolute(try store.path()), times: times)
    let answer = try client.ask(
      errand.request, patience: ErrandDesk.clientSeconds, times: times,
      inDoubt: "it may have been noted: check 'footbridge show last' before you repeat it")
    if let result = answer["result"]?.text { return result }
    // A gateway of an earlier release knows no errands.
    guard let reason = answer["error"]?.text, let remedy = answer["remedy"]?.text else {
      return nil
    }
    guard answer["store"] == nil else {
      console.notice("not by the running gateway", ["reason": reason, "remedy": remedy])
      return nil
    }
    let status = ExitStatus.allCases.first { Int($0.rawValue) == answer["status"]?.integer }
    throw Complaint(reason, remedy: remedy, status: status ?? .failed)
  }
}

/// The command line of an errand, and the store that it is for, as they go over the socket.
struct GatewayErrand: Hashable, Sendable {
  /// The words after the program's name.
  var words: [String]
  /// The absolute path of the store.
  var store: String
  /// The times of the request; `nil` from an earlier release.
  var times: RequestTimes?

  private static let verbs: [String: any ErrandVerb.Type] = [
    HazardCommand.definition.name: HazardCommand.self,
    AnnotateCommand.definition.name: AnnotateCommand.self,
  ]
  private static let beginning = "errand "

  /// The text that is sent.
  var request: String {
    let members: [JSONValue.Member] = [
      .init("store", store), .init("words", words),
    ]
    return Self.beginning + JSONValue.object(members + (times?.members ?? [])).text
  }
}

extension GatewayErrand {
  /// Reads a request; `nil` if it is not an errand.
  init?(_ request: String) {
    guard request.hasPrefix(Self.beginning),
      let value = try? JSON(parsing: Array(request.dropFirst(Self.beginning.count).utf8)),
      let store = value["store"]?.text, let words = value["words"]?.list
    else { return nil }
    self.store = store
    self.words = words.compactMap(\.text)
    times = RequestTimes(value)
  }

  /// Performs it in the gateway's store, and returns the result or the error. An errand for another
  /// store is refused.
  func answer(in store: String, _ console: Console) -> JSONValue {
    // The client may lack the right to follow the links in its path.
    guard PathPattern.target(of: self.store) == PathPattern.target(of: store) else {
      return [
        "error": .string("the gateway has another store: \(store)"),
        "remedy": "to change that one, name the gateway's configuration in FOOTBRIDGE_CONFIG",
        "store": store.json,
      ]
    }
    do {
      guard let verb = words.first.flatMap({ Self.verbs[$0] }) else {
        throw Complaint(
          "the gateway does not perform this command", remedy: "run it as the user who records")
      }
      return ["result": .string(try result(of: verb, in: store, console))]
    } catch {
      return Self.answer(to: error)
    }
  }

  /// The answer that reports a failure.
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

/// Performs errands one after another, on a thread that ends when there are none: each waits for
/// the disk. A few may wait; a further one is refused at once, and so is one that waited for too
/// long.
final class ErrandDesk: Sendable {
  /// Performs an errand.
  typealias Work = @Sendable (GatewayErrand) -> JSONValue

  /// Seconds for which a client waits for its answer: longer than the gateway has for one.
  static let clientSeconds = StatusServer.answerSeconds + 2 * StatusServer.clientSeconds
  /// The most errands that wait at a time: fewer than the server has clients.
  static let mostWaiting = 4
  /// Seconds for which one waits. It is performed before its client leaves, or not at all.
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

  /// Queues an errand, and replies when it is done. Does not wait.
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
    to: Complaint("the gateway is busy, and noted nothing", remedy: "try again in a few seconds"))
}
