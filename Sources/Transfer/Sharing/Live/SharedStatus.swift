public import Values

/// The status that a gateway shares.
public struct SharedStatus: Equatable, Sendable {
  public struct Board: Equatable, Sendable {
    public var name: String
    /// The board's state, in the wording of `footbridge status`.
    public var state: String
    /// The battery charge in percent; `nil` if unknown.
    public var battery: Int?

    public init(name: String, state: String, battery: Int? = nil) {
      self.name = name
      self.state = state
      self.battery = battery
    }
  }

  /// A session that is being recorded.
  public struct Session: Equatable, Sendable {
    public var id: UniqueID
    public var since: UTCTime

    public init(id: UniqueID, since: UTCTime) {
      self.id = id
      self.since = since
    }
  }

  /// The state that a gateway shares after a clean shutdown.
  public static let off = "off"

  /// The gateway's state, in the wording of `footbridge status`, or `off`.
  public var state: String
  /// Whether everything that the user requested is being recorded.
  public var works: Bool
  public var version: String
  public var boards: [Board]
  /// `nil` if no session is being recorded.
  public var session: Session?
  /// The number of chunks that at least one destination has not received yet.
  public var waitingChunks: Int

  public init(
    state: String, works: Bool, version: String, boards: [Board], session: Session?,
    waitingChunks: Int
  ) {
    self.state = state
    self.works = works
    self.version = version
    self.boards = boards
    self.session = session
    self.waitingChunks = waitingChunks
  }

  /// The maximum number of boards in one message.
  static let mostBoards = 100

  public func payload(_ times: LiveTimes) -> [UInt8] { LivePayload.bytes(members, times) }

  var members: [JSONValue.Member] {
    let boards = boards.prefix(Self.mostBoards).map { board in
      JSONValue.known([
        .init("name", LiveText.plain(board.name)), .init("state", board.state),
        .init("battery", board.battery),
      ])
    }
    let session: JSONValue? = session.map {
      ["id": $0.id.json, "since": $0.since.iso8601(decimals: 0).json]
    }
    return [
      .init("state", state), .init("works", works), .init("version", version),
      .init("boards", .array(boards)), .init("session", session ?? .null),
      .init("waiting_chunks", waitingChunks),
    ]
  }

  init(_ json: LiveJSON) throws(LiveFault) {
    state = try json.text("state")
    works = try json.bool("works")
    version = try json.text("version")
    boards = []
    for board in try json.list("boards", upTo: Self.mostBoards) {
      boards.append(
        Board(
          name: try board.text("name"), state: try board.text("state"),
          battery: try board.optionalNumber("battery", in: 0...100).map { Int($0) }))
    }
    if let session = try json.object("session") {
      self.session = Session(id: try session.id("id"), since: try session.time("since"))
    }
    waitingChunks = try json.count("waiting_chunks")
  }
}

enum LivePayload {
  static func bytes(_ members: [JSONValue.Member], _ times: LiveTimes) -> [UInt8] {
    JSONValue.known([.init("format", 1)] + members + times.members).bytes
  }
}
