public import Values

/// An event during a recording, or a later change of its stored data.
public struct SessionEvent: Hashable, Sendable {
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
    /// A board was out of reach at the start; the text is the reason. It joins when it appears.
    case missing
    /// The recorder gave up a board before the end; the text is the reason.
    case givenUp = "given-up"
    /// A board was configured; the text contains the settings.
    case settings
    /// A person paused the recording; later samples were not stored.
    case paused
    /// A person ended the pause.
    case resumed
    /// A hazard was reported or edited; the text is its name, the value its intensity.
    case hazard
    /// Stored chunks were deleted to make room; the value is their number of samples.
    case dropped
    /// A damaged chunk was set aside; the value is the number of its samples. Without a value, a
    /// repair could not determine how many samples of the session are gone.
    case damaged
    /// The recorder began to stop the boards; the text is the reason, unless a person asked for it.
    /// Only a session that was interrupted in those seconds has this event.
    case stopping
    /// The recorder that started after a crash ended the session.
    case recovered
    /// The recorder was interrupted, and another one continued the session; the value is the
    /// seconds in between. Without a value, a restart of the computer interrupted another session,
    /// which the text names, and this session began at once.
    case continued
    /// The position source changed its state; the text is the new state.
    case receiver
    /// The space for recordings ran low or out, according to the text.
    case space
    /// A field of the session or of a board was corrected; the text contains the name of the field,
    /// its former value and its new value.
    case edited

    /// Whether only the recorder of a session adds such events, so that they show it was running.
    /// Other programs add the rest, even long after a recorder was interrupted.
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
  public var kind: Kind
  /// Time on the clock of the session's boot; the session's end for an event after it.
  public var time: BootTime
  /// Universal time, if the program knew it; events after the session always have it.
  public var utc: UTCTime?
  /// A number whose meaning depends on the kind.
  public var value: Double?
  /// Further text, for people.
  public var text: String

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
  /// Whether uncounted samples may be gone, since the store was damaged.
  public var haveUnknownLosses: Bool { contains { $0.kind == .damaged && $0.value == nil } }
}
