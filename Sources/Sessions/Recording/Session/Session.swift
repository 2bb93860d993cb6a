public import Values

/// One recording of several boards and streams, from its start to its end on the boot clock.
public struct Session: Hashable, Sendable {
  /// The reason why a session ended.
  public enum Ending: UInt8, Hashable, Sendable {
    /// The recorder closed the session.
    case closed = 0
    /// The recorder was interrupted. The next recorder ended the session as of the session's last
    /// stored data.
    case recovered = 1

    /// The reason's name in tables and JSON.
    public var name: String {
      switch self {
      case .closed: "closed"
      case .recovered: "recovered"
      }
    }
  }

  public var id: UniqueID
  /// The kernel's identifier of the boot during which the session was recorded.
  public var bootID: UniqueID
  public var start: BootTime
  /// End of the recording; `nil` while it is open, or if the recorder was interrupted.
  public var end: BootTime?
  /// The reason why the session ended; `nil` while `end` is `nil`.
  public var ending: Ending?
  /// The user's remark on the session.
  public var note: String
  /// The user's name for the computer that recorded the session; may be empty.
  public var gateway: String
  /// A remark about the person who wore the boards; may be empty.
  public var wearer: String
  /// The study participant who wore the boards; `nil` if none was chosen.
  public var participant: Participant?
  /// Whether another gateway is still sending the session, so further samples and the session's end
  /// may still arrive.
  public var isArriving: Bool

  /// A session with an end but without an `ending` is treated as closed.
  public init(
    id: UniqueID = .random(), bootID: UniqueID, start: BootTime, end: BootTime? = nil,
    ending: Ending? = nil, note: String = "", gateway: String = "", wearer: String = "",
    participant: Participant? = nil, isArriving: Bool = false
  ) {
    self.id = id
    self.bootID = bootID
    self.start = start
    self.end = end
    self.ending = ending ?? (end == nil ? nil : .closed)
    self.note = note
    self.gateway = gateway
    self.wearer = wearer
    self.participant = participant
    self.isArriving = isArriving
  }
}

/// A board's identity, as the board reports it; a name given by the user takes precedence.
public struct BoardIdentity: Hashable, Sendable {
  public var address: BoardAddress
  /// The name that the user gave the board, or the name that the board advertises.
  public var name: String
  /// Model, such as `MetaMotion S`.
  public var model: String
  /// Firmware revision, such as `1.7.2`.
  public var firmware: String

  public init(address: BoardAddress, name: String, model: String, firmware: String) {
    self.address = address
    self.name = name
    self.model = model
    self.firmware = firmware
  }
}
