public import Values

/// Something that happened while a session was recorded, or to its stored data.
public struct SessionEvent: Hashable, Sendable {
  /// What happened.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A board told its battery's charge; the value is in percent.
    case battery
    /// The link to a board was lost.
    case linkLost = "link-lost"
    /// A lost link was replaced.
    case reconnected
    /// A board had restarted.
    case reboot
    /// A board answers and sends nothing of some signals, which the text names.
    case silent
    /// A board was not in reach at the start; the text says why. It joins when it appears.
    case missing
    /// A board was given up before the end; the text says why.
    case givenUp = "given-up"
    /// A board was set up; the text says how.
    case settings
    /// A hazard was reported or edited; the text is its name, the value its intensity.
    case hazard
    /// Stored chunks were deleted to make room; the value is how many samples they had.
    case dropped
    /// A chunk was not as it was written and was set aside; the value is how many samples it had.
    case damaged
    /// The recorder began to stop the boards; the text says why, unless it was asked to. Only a
    /// session that was cut off in those seconds has it.
    case stopping
    /// The session was ended by the recorder that came after a crash.
    case recovered
    /// The source of positions changed its state; the text is the new one.
    case receiver
    /// The space for recordings ran low or out; the text says which.
    case space
    /// What the session says of itself or of a board was corrected; the text has the name of the
    /// field, its former value and its new one.
    case edited

    /// Whether only the recorder of a session notes it, so that it was there then. Other programs
    /// note the rest, also long after a recorder was cut off.
    public var isOfRecorder: Bool {
      switch self {
      case .battery, .linkLost, .reconnected, .reboot, .silent, .missing, .givenUp, .settings,
        .stopping, .receiver, .space:
        true
      case .hazard, .dropped, .damaged, .recovered, .edited: false
      }
    }
  }

  /// The board it happened to; `nil` if it concerns no single one.
  public var board: BoardAddress?
  /// What happened.
  public var kind: Kind
  /// When, on the clock of the session's boot; the session's end for what happened after it.
  public var time: BootTime
  /// The same as universal time, where somebody noted it; what happened after the session has it.
  public var utc: UTCTime?
  /// A number that belongs to it, as its kind says.
  public var value: Double?
  /// What else is to be said, for people.
  public var text: String

  /// An event with the given parts.
  public init(
    _ kind: Kind, board: BoardAddress? = nil, at time: BootTime, utc: UTCTime? = nil,
    value: Double? = nil, text: String = ""
  ) {
    self.kind = kind
    self.board = board
    self.time = time
    self.utc = utc
    self.value = value
    self.text = text
  }
}
