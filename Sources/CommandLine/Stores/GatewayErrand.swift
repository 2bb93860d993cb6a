internal import Gateway
internal import LinuxSystem
internal import Values

/// A command that the running gateway also does for others, in its own store: they need the right
/// to its socket, and none to its store.
protocol ErrandVerb: StoreVerb {
  /// Does it, and returns the result to print.
  func perform(_ console: Console) throws -> String
}

extension ErrandVerb {
  func run(_ console: Console) async throws -> ExitStatus {
    try console.print(perform(console))
    return .ok
  }

  /// Has the running gateway do it, and returns the result; `nil` if no gateway runs that has the
  /// store. The words are those of the command line.
  func byGateway(_ words: [String]) throws(Complaint) -> String? {
    guard let socket = try store.gatewaySocket() else { return nil }
    let client = StatusClient(path: socket)
    guard client.isHeard else { return nil }
    let answer = try client.ask(GatewayErrand(words: words).request, patience: 15)
    if let result = answer["result"]?.text { return result }
    // A gateway of an earlier release knows no errands.
    guard let remedy = answer["remedy"]?.text else { return nil }
    let status = ExitStatus.allCases.first { Int($0.rawValue) == answer["status"]?.integer }
    throw Complaint(
      answer["error"]?.text ?? "the gateway gives no reason", remedy: remedy,
      status: status ?? .failed)
  }
}

/// The command line of an errand, as it goes over the socket.
struct GatewayErrand: Hashable, Sendable {
  /// The words after the program's name.
  var words: [String]

  private static let verbs: [String: any ErrandVerb.Type] = [
    HazardCommand.definition.name: HazardCommand.self,
    AnnotateCommand.definition.name: AnnotateCommand.self,
  ]
  private static let beginning = "errand "

  /// As it is sent.
  var request: String { Self.beginning + JSONValue.array(words.map { .string($0) }).text }
}

extension GatewayErrand {
  /// Reads a request; `nil` for one that is no errand.
  init?(_ request: String) {
    guard request.hasPrefix(Self.beginning),
      case .list(let words)? = try? JSON(
        parsing: Array(request.dropFirst(Self.beginning.count).utf8))
    else { return nil }
    self.words = words.compactMap(\.text)
  }

  /// Does it in a store, and returns what is told about it.
  func answer(in store: String, _ console: Console) -> JSONValue {
    do {
      guard let verb = words.first.flatMap({ Self.verbs[$0] }) else {
        throw Complaint(
          "the gateway does no such command", remedy: "run it as the user who records")
      }
      return ["result": .string(try result(of: verb, in: store, console))]
    } catch {
      return Self.answer(to: error)
    }
  }

  /// What is told about a failure.
  static func answer(to error: any Error) -> JSONValue {
    let complaint = Complaint(explaining: error)
    return [
      "error": .string(complaint.message), "remedy": .string(complaint.remedy),
      "status": .integer(Int64(complaint.status.rawValue)),
    ]
  }

  private func result<V: ErrandVerb>(
    of verb: V.Type, in store: String, _ console: Console
  ) throws -> String {
    let verb = try Command.verb(
      verb, Array(words.dropFirst()), environment: [StoreLocation.variable: store])
    guard verb.store.given == nil else {
      throw Complaint(
        "the gateway writes to no other store than its own", remedy: "leave '--store' out")
    }
    return try verb.perform(console)
  }
}
