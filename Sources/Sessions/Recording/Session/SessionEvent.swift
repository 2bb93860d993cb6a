public import Values

/// Something that happened while a session was recorded, or to its stored data.
public struct SessionEvent: Hashable, Sendable {
  /// The kind of the event.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A board reported its battery's charge; the value is in percent.
    case battery
    /// The link to a board was lost.
    case linkLost = "link-lost"
    /// A lost link was replaced.
    case reconnected
    /// A board had restarted.
    case reboot
    /// A board answers but sends no samples of some signals, which the text names.
    case silent
    /// A board was not in reach at the start; the text says why. It joins when it appears.
    case missing
    /// A board was given up before the end; the text says why.
    case givenUp = "given-up"
    /// A board was set up; the text says how.
    case settings
    /// A person paused the recording; nothing that arrived from then on was kept.
    case paused
    /// A person ended the pause.
    case resumed
    /// A hazard was reported or edited; the text is its name, the value its intensity.
    case hazard
    /// Stored chunks were deleted to make room; the value is how many samples they had.
    case dropped
    /// A chunk was damaged and was set aside; the value is the number of its samples. Without a
    /// value, a repair could not find out how many samples of the session are gone.
    case damaged
    /// The recorder began to stop the boards; the text says why, unless it was asked to. Only a
    /// session that was cut off in those seconds has it.
    case stopping
    /// The recorder that started after a crash ended the session.
    case recovered
    /// The recorder was cut off, and another one continued the session; the value is the seconds
    /// between. Without a value, the restart of the computer had cut off another session, which the
    /// text names, and this one was begun at once.
    case continued
    /// The position source changed its state; the text is the new state.
    case receiver
    /// The space for recordings ran low or out; the text says which.
    case space
    /// A field of the session or of a board was corrected; the text has the name of the field, its
    /// former value and its new one.
    case edited

    /// Whether only the recorder of a session notes such events, so that they show it was running.
    /// Other programs note the rest, also long after a recorder was cut off.
    public var isOfRecorder: Bool {
      switch self {
      case .battery, .linkLost, .reconnected, .reboot, .silent, .missing, .givenUp, .settings,
        .paused, .resumed, .stopping, .receiver, .space, .continued:
        true
      case .hazard, .dropped, .damaged, .recovered, .edited: false
      }
    }
  }

  /// The board of the event; `nil` if it concerns no single board.
  public var board: BoardAddress?
  /// The kind of the event.
  public var kind: Kind
  /// Time on the clock of the session's boot; the session's end for an event after it.
  public var time: BootTime
  /// Universal time, where the program noted it; events after the session always have it.
  public var utc: UTCTime?
  /// A number whose meaning depends on the kind.
  public var value: Double?
  /// Further text, for people.
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

extension Sequence<SessionEvent> {
  /// Whether samples may be gone that nothing counts, since the store was damaged.
  public var haveUnknownLosses: Bool { contains { $0.kind == .damaged && $0.value == nil } }
}
