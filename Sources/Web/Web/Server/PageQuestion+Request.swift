internal import HTTPServer
internal import Values

/// Parses queries and commands; see `docs/api.openapi.yaml`.
extension PageQuestion {
  /// Maximum number of columns in an envelope, and of points in a track.
  static let mostColumns = 2_000
  static let mostPoints = 20_000
  /// Maximum length of a name, in characters.
  static let longestName = 100
  /// Maximum length of the reason for stopping or skipping a task, in characters.
  static let longestReason = 200

  /// Parses a path below `/api/v1/` or `/tiles`, and a POST request's body.
  init(_ head: RequestHead, body: [UInt8]) throws(PageFault) {
    let parts = head.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
      .map(String.init)
    if parts.first == "tiles" {
      self = try Self.tiles(Array(parts.dropFirst()))
      return
    }
    let path = Array(parts.dropFirst(2))
    let query = Query(head.query)
    let question =
      head.method == "POST"
      ? try Self.command(path, Self.object(body)) : try Self.look(path, query)
    let gateway = path.first == "sessions" && path.count > 1 ? try query.id("gateway") : nil
    self = gateway.map { .ofGateway($0, question) } ?? question
  }

  // MARK: Queries

  private static func look(
    _ path: [String], _ query: Query
  ) throws(PageFault) -> PageQuestion {
    switch (path.first, path.count) {
    case ("sessions", 1): return .sessions(newest: try query.integer("newest", in: 1...1_000_000))
    case ("hazards", 1): return .hazardNames
    case ("definitions", 1): return .definitions
    case ("formats", 1): return .formats
    case ("routes", 1): return .routes
    case ("others", 1): return .others
    case ("sessions", 2): return .session(try session(path[1]))
    case ("sessions", 3):
      let session = try session(path[1])
      switch path[2] {
      case "tasks": return .tasks(session)
      case "envelope": return .envelope(session, try stretch(query))
      case "track":
        return .track(session, points: try query.integer("points", in: 2...mostPoints) ?? 2_000)
      case "export": return .export(session, format: try query.text("format"))
      default: break
      }
    default: break
    }
    throw .unknownAddress
  }

  private static func stretch(_ query: Query) throws(PageFault) -> Stretch {
    guard let board = BoardAddress(try query.text("board")) else {
      throw PageFault(400, "'board' is not a board address")
    }
    let (from, to) = (try query.number("from"), try query.number("to"))
    guard from < to else { throw PageFault(400, "'from' is not before 'to'") }
    return Stretch(
      board: board, signal: try query.text("signal"), from: from, to: to,
      columns: try query.integer("columns", in: 1...mostColumns) ?? 600)
  }

  private static func tiles(_ path: [String]) throws(PageFault) -> PageQuestion {
    guard !path.isEmpty else { return .tiles }
    let numbers = path.compactMap { Int($0) }
    guard path.count == 3, numbers.count == 3, (0...30).contains(numbers[0]),
      numbers[1...].allSatisfy({ $0 >= 0 && $0 < 1 << numbers[0] })
    else { throw .unknownAddress }
    return .tile(zoom: numbers[0], column: numbers[1], row: numbers[2])
  }

  // MARK: Commands

  private static func command(_ path: [String], _ body: JSON) throws(PageFault) -> PageQuestion {
    if path == ["recording"] {
      guard let command = body["command"]?.text.flatMap({ RecordingCommand(rawValue: $0) }) else {
        let known = RecordingCommand.allCases.map(\.rawValue).joined(separator: ", ")
        throw PageFault(400, "'command' must be one of \(known)")
      }
      let participant = try text(body, "participant", upTo: longestName)
      guard participant == nil || command == .start else {
        throw PageFault(400, "'participant' is allowed only with start")
      }
      return .record(command, participant: participant, until: try instant(body, "until"))
    }
    guard path.count == 3, path[0] == "sessions" else { throw .unknownAddress }
    let isCurrent = path[1] == "current"
    switch path[2] {
    case "hazards", "notes", "tasks", "survey":
      return .note(
        try remark(body, in: path[2]),
        session: isCurrent ? nil : try session(path[1]))
    case "edit":
      let (participant, wearer, note) = (
        try text(body, "participant", upTo: longestName),
        try text(body, "wearer", upTo: longestName),
        try text(body, "note", upTo: LineOfText.longest)
      )
      let swap = try swap(body["swap"])
      guard participant != nil || wearer != nil || note != nil || !swap.isEmpty else {
        throw PageFault(400, "'participant', 'wearer', 'note' and 'swap' are all missing")
      }
      return .edit(
        try session(path[1]), participant: participant, wearer: wearer, note: note, swap: swap)
    case "delete":
      let session = try session(path[1])
      guard body["confirm"]?.text.flatMap({ UniqueID($0) }) == session else {
        throw PageFault(400, "'confirm' is not the session's id")
      }
      return .delete(session)
    default: throw .unknownAddress
    }
  }

  /// Returns the two boards whose labels are to be swapped; none if the member is missing.
  private static func swap(_ member: JSON?) throws(PageFault) -> [BoardAddress] {
    guard let member else { return [] }
    let boards = (member.list ?? []).compactMap { $0.text.flatMap { BoardAddress($0) } }
    guard boards.count == 2, member.list?.count == 2, boards[0] != boards[1] else {
      throw PageFault(400, "'swap' must be the addresses of two boards")
    }
    return boards
  }

  private static func remark(_ body: JSON, in list: String) throws(PageFault) -> Remark {
    guard let id = body["id"]?.text.flatMap({ UniqueID($0) }) else {
      throw PageFault(400, "'id' is not 32 hexadecimal digits")
    }
    let time: Remark.Time
    switch (body["ago"]?.number, body["at"]?.number) {
    // A phone may keep a remark for days before it can send the remark.
    case (let ago?, nil) where (0...1e7).contains(ago):
      time = .ago(ago, sent: try instant(body, "sent"))
    case (nil, let at?) where (0...1e9).contains(at): time = .at(at)
    default: throw PageFault(400, "exactly one of 'ago' and 'at' is required, in seconds")
    }
    switch list {
    case "notes": return Remark(id: id, content: try words(body, time), time: time)
    case "survey": return Remark(id: id, content: .report(.object(report(body))), time: time)
    case "tasks": return Remark(id: id, content: try change(body), time: time)
    default: break
    }
    guard let given = try text(body, "name", upTo: longestName),
      case let name = given.trimmingBlanks, !name.isEmpty,
      !name.unicodeScalars.contains(where: turnsDirection)
    else { throw PageFault(400, "'name' is missing or empty, or contains invisible characters") }
    guard let intensity = body["intensity"]?.integer, (0...3).contains(intensity) else {
      throw PageFault(400, "'intensity' must be a whole number from 0 to 3")
    }
    return Remark(id: id, content: .hazard(name: name, intensity: intensity), time: time)
  }

  /// Returns the members that belong to the report itself, excluding the id and the time.
  private static func report(_ body: JSON) -> [String: JSON] {
    guard case .object(let members) = body else { return [:] }
    return members.filter { ["hazards", "answers"].contains($0.key) }
  }

  private static func change(_ body: JSON) throws(PageFault) -> Remark.Content {
    let task = try text(body, "task", upTo: longestName)
    let reason = try text(body, "reason", upTo: longestReason) ?? ""
    let action: Remark.TaskAction
    switch (body["action"]?.text, task, body["outcome"]?.text) {
    case ("begin", _?, nil): action = .begin
    case ("end", _, nil), ("end", _, "done"): action = .end(isEarly: false)
    case ("end", _, "stopped"): action = .end(isEarly: true)
    case ("skip", _?, nil): action = .skip
    default:
      throw PageFault(
        400, "'action' must be begin, end or skip, with the 'task' to begin or skip",
        remedy: "give an 'outcome' (done or stopped) only with end")
    }
    return .task(action, task: task, reason: reason)
  }

  private static func words(
    _ body: JSON, _ time: Remark.Time
  ) throws(PageFault) -> Remark.Content {
    let former = try text(body, "insteadOf", upTo: LineOfText.longest)
    guard let words = try text(body, "text", upTo: LineOfText.longest),
      former != nil || !words.trimmingBlanks.isEmpty
    else { throw PageFault(400, "'text' is missing or empty") }
    if former != nil, case .ago = time {
      throw PageFault(400, "the time of the note to correct is missing", remedy: "add it as 'at'")
    }
    return .text(former == nil ? words : words.trimmingBlanks, insteadOf: former)
  }

  // MARK: Parts

  private static func session(_ text: String) throws(PageFault) -> UniqueID {
    guard let id = UniqueID(text) else { throw PageFault(404, "this is not a session id") }
    return id
  }

  /// Returns the JSON object in a POST request's body.
  static func object(_ body: [UInt8]) throws(PageFault) -> JSON {
    guard let json = try? JSON(parsing: body), case .object = json else {
      throw PageFault(400, "the body is not a JSON object")
    }
    return json
  }

  /// Parses a time on the gateway's clock; `nil` if the time is missing.
  private static func instant(_ body: JSON, _ name: String) throws(PageFault) -> Instant? {
    guard let member = body[name] else { return nil }
    guard let boot = member["boot"]?.text.flatMap({ UniqueID($0) }),
      let seconds = member["seconds"]?.number, (0...1e9).contains(seconds)
    else {
      throw PageFault(
        400, "'\(name)' is not a time with 'boot' and 'seconds'",
        remedy: "copy the clock from the events that 'stream' sends")
    }
    return Instant(boot: boot, seconds: seconds)
  }

  /// Parses a string without control characters; `nil` if the member is missing.
  private static func text(
    _ body: JSON, _ name: String, upTo count: Int
  ) throws(PageFault) -> String? {
    guard let member = body[name] else { return nil }
    guard let text = member.text, LineOfText.isFit(text, upTo: count) else {
      throw PageFault(
        400, "'\(name)' must be one line without tabs, with at most \(count) characters")
    }
    return text
  }
}

extension PageQuestion {
  /// Returns whether a character changes the writing direction, which could make a name look like
  /// another.
  private static func turnsDirection(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x200e...0x200f, 0x202a...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// The string without leading and trailing whitespace.
  fileprivate var trimmingBlanks: String {
    // Some of these characters have no width.
    let blanks: Set<Character> = [" ", "\u{a0}", "\u{200b}", "\u{2060}", "\u{feff}"]
    let rest = drop(while: blanks.contains)
    guard let last = rest.lastIndex(where: { !blanks.contains($0) }) else { return "" }
    return String(rest[...last])
  }
}

/// An address's query parameters, after the question mark.
private struct Query {
  private let fields: [RequestHead.Field]

  init(_ fields: [RequestHead.Field]) { self.fields = fields }

  func text(_ name: String) throws(PageFault) -> String {
    guard let text = fields.first(where: { $0.name == name })?.value else {
      throw PageFault(400, "'\(name)' is missing")
    }
    return text
  }

  func number(_ name: String) throws(PageFault) -> Double {
    let text = try text(name)
    guard text.utf8.allSatisfy({ "0123456789.+-eE".utf8.contains($0) }), let number = Double(text),
      abs(number) <= 1e9
    else {
      throw PageFault(400, "'\(name)' is not a number of seconds")
    }
    return number
  }

  func id(_ name: String) throws(PageFault) -> UniqueID? {
    guard fields.contains(where: { $0.name == name }) else { return nil }
    guard let id = UniqueID(try text(name)) else {
      throw PageFault(
        400, "'\(name)' is not an id", remedy: "see the gateway ids in the list of walks")
    }
    return id
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws(PageFault) -> Int? {
    guard fields.contains(where: { $0.name == name }) else { return nil }
    guard let number = Int(try text(name)), range.contains(number) else {
      throw PageFault(
        400, "'\(name)' is not a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

extension PageFault {
  static let unknownAddress = PageFault(
    404, "there is nothing at this address", remedy: "docs/api.openapi.yaml lists the addresses")

  /// Returns the fault for a method that the address does not support. `allowed` lists the
  /// supported methods.
  static func wrongMethod(_ allowed: String) -> PageFault {
    var fault = PageFault(405, "the method is not allowed at this address")
    fault.allowed = allowed
    return fault
  }
}
