public import Values

/// What a gateway tells of itself.
public struct SharedStatus: Equatable, Sendable {
  /// A board.
  public struct Board: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// Its state, in the words of `footbridge status`.
    public var state: String
    /// Charge of its battery in percent; `nil` if that is not known.
    public var battery: Int?

    /// A board in a state.
    public init(name: String, state: String, battery: Int? = nil) {
      self.name = name
      self.state = state
      self.battery = battery
    }
  }

  /// The session that is recorded.
  public struct Session: Equatable, Sendable {
    /// Its id.
    public var id: UniqueID
    /// When it began.
    public var since: UTCTime

    /// A session.
    public init(id: UniqueID, since: UTCTime) {
      self.id = id
      self.since = since
    }
  }

  /// The state of a gateway that was ended in order.
  public static let off = "off"

  /// How far it is, in the words of `footbridge status`, or `off`.
  public var state: String
  /// Whether everything that is wanted is recorded.
  public var works: Bool
  /// The version of the program.
  public var version: String
  /// Its boards.
  public var boards: [Board]
  /// The session that is recorded; `nil` if none is.
  public var session: Session?
  /// Chunks that no destination has yet, or not all of them.
  public var waitingChunks: Int

  /// A status with these parts.
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

  /// Boards that are told of at most.
  static let mostBoards = 100

  /// The message.
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
