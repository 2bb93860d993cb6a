public import Values

/// An event during a recording, or a later change to its stored data.
public struct SessionEvent: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A board reported its battery level. The value is the level in percent.
    case battery
    /// The link to a board was lost.
    case linkLost = "link-lost"
    /// A lost link was re-established.
    case reconnected
    /// A board restarted during the recording.
    case reboot
    /// A board responds, but sends no samples of the signals listed in the text.
    case silent
    /// A board could not be reached when the recording started; the text states the reason. The
    /// board joins when it is found.
    case missing
    /// The recorder stopped trying to reach a board before the recording ended, for the reason in
    /// the text.
    case givenUp = "given-up"
    /// A board was configured; the text contains the settings.
    case settings
    /// The gateway determined how a board is attached, or detected a change. The text is the
    /// `Mounting`, and the value is its looseness in degrees.
    case mounting
    /// A user paused the recording, so later samples are not stored.
    case paused
    /// A user ended the pause.
    case resumed
    /// A hazard was reported or edited. The text is the hazard's name, and the value is its
    /// intensity.
    case hazard
    /// A study task started. The text is the task's id, and the value is the repetition's number.
    case taskBegin = "task-begin"
    /// A study task ended or was skipped. The text consists of the task's id, the outcome and the
    /// reason, separated by colons. The value is the repetition's number; a skipped task has no
    /// value.
    case taskEnd = "task-end"
    /// A person submitted a report about the session. The text is the report as JSON.
    case submitted
    /// Stored chunks were deleted to free space. The value is the number of their samples.
    case dropped
    /// A damaged chunk was set aside. The value is the number of its samples. If there is no value,
    /// a repair could not determine how many samples of the session are lost.
    case damaged
    /// The recorder began to stop the boards. The text is the failure that caused the stop; empty
    /// if nothing failed. Only a session that was interrupted while the boards were being stopped
    /// includes this event.
    case stopping
    /// The session was ended by the recorder that started after a crash.
    case recovered
    /// The recorder was interrupted, and another recorder continued the session. The value is the
    /// length of the interruption in seconds. If there is no value, a restart of the computer
    /// interrupted another session, which the text names, and this session began immediately.
    case continued
    /// The position source's state changed; the text is the new state.
    case receiver
    /// The space for recordings is low or exhausted, as the text states.
    case space
    /// Another program recorded the session, and one of its files was imported. The text is the
    /// file's name.
    case imported
    /// A field of the session or of a board was corrected. The text contains the field's name, its
    /// previous value and its new value.
    case edited

    /// Whether only a session's recorder adds events of this kind. Such events prove that the
    /// recorder was running. Other programs can add events of the remaining kinds, even long after
    /// a recorder was interrupted.
    public var isOfRecorder: Bool {
      switch self {
      case .battery, .linkLost, .reconnected, .reboot, .silent, .missing, .givenUp, .settings,
        .mounting, .paused, .resumed, .stopping, .receiver, .space, .continued:
        true
      case .hazard, .taskBegin, .taskEnd, .submitted, .dropped, .damaged, .recovered, .imported,
        .edited:
        false
      }
    }
  }

  /// The board that the event concerns; `nil` if it does not concern a particular board.
  public var board: BoardAddress?
  public var kind: Kind
  /// Time of the event on the session's boot clock. For an event after the session, this is the
  /// session's end.
  public var time: BootTime
  /// Universal time of the event, if it was known at that time. Events after the session always
  /// include it.
  public var utc: UTCTime?
  /// A number whose meaning depends on the kind.
  public var value: Double?
  /// Additional information whose meaning depends on the kind.
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
  /// Whether an unknown number of samples may have been lost because the store was damaged.
  public var haveUnknownLosses: Bool { contains { $0.kind == .damaged && $0.value == nil } }
}
