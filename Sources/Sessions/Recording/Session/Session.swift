public import Values

/// One recording: it spans boards and streams, and begins and ends on the boot clock.
public struct Session: Hashable, Sendable {
  /// The way in which a session ended.
  public enum Ending: UInt8, Hashable, Sendable {
    /// Its recorder closed it.
    case closed = 0
    /// Its recorder was interrupted; the next recorder ended it at its last stored data.
    case recovered = 1

    /// One word for tables and JSON.
    public var name: String {
      switch self {
      case .closed: "closed"
      case .recovered: "recovered"
      }
    }
  }

  /// Permanent identifier.
  public var id: UniqueID
  /// The boot in which it was recorded, from the kernel.
  public var bootID: UniqueID
  /// Start of the recording.
  public var start: BootTime
  /// End; `nil` while it is open, or if the recorder was interrupted.
  public var end: BootTime?
  /// The way in which it ended; `nil` as long as `end` is `nil`.
  public var ending: Ending?
  /// The user's remark.
  public var note: String
  /// The user's name for the computer that recorded it; may be empty.
  public var gateway: String
  /// The person who wore the boards; may be empty.
  public var wearer: String
  /// Whether another gateway is still sending the session, so that its end and more samples may
  /// follow.
  public var isArriving: Bool

  /// A session with the given parts; a session with an end and no `ending` was closed.
  public init(
    id: UniqueID = .random(), bootID: UniqueID, start: BootTime, end: BootTime? = nil,
    ending: Ending? = nil, note: String = "", gateway: String = "", wearer: String = "",
    isArriving: Bool = false
  ) {
    self.id = id
    self.bootID = bootID
    self.start = start
    self.end = end
    self.ending = ending ?? (end == nil ? nil : .closed)
    self.note = note
    self.gateway = gateway
    self.wearer = wearer
    self.isArriving = isArriving
  }
}

/// Identity of a board, as reported by the board.
public struct BoardIdentity: Hashable, Sendable {
  /// Its Bluetooth address.
  public var address: BoardAddress
  /// The name it advertises, or the one the user gave it.
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
