public import Values

/// A query or a command from a page.
public enum PageQuestion: Hashable, Sendable {
  /// The newest sessions, or all sessions if `newest` is `nil`.
  case sessions(newest: Int?)
  /// A session without its samples.
  case session(UniqueID)
  /// A signal's minimum and maximum in each column of a section.
  case envelope(UniqueID, Stretch)
  /// A session's fixes, reduced to at most `points`.
  case track(UniqueID, points: Int)
  case tasks(UniqueID)
  /// The common hazard names: the built-in names, and those from the definitions.
  case hazardNames
  /// The definitions for this gateway, fetched from a destination.
  case definitions
  /// The formats available for downloading a session.
  case formats
  /// A session as a file in this format.
  case export(UniqueID, format: String)
  case tiles
  /// The routes that are drawn on maps.
  case routes
  /// The positions of the fleet's other gateways.
  case others
  case tile(zoom: Int, column: Int, row: Int)
  /// Start or stop recording. After the time `until`, the gateway ignores the command. A start may
  /// name the participant to record.
  case record(RecordingCommand, participant: String? = nil, until: Instant?)
  /// Add a remark to a session; `nil` means the session being recorded.
  case note(Remark, session: UniqueID?)
  /// Correct a session's participant, wearer or note, or swap the labels of two boards. An empty
  /// participant means none.
  case edit(
    UniqueID, participant: String? = nil, wearer: String?, note: String?,
    swap: [BoardAddress] = [])
  case delete(UniqueID)
  /// A query about a session of the gateway with this id, for pages that show the sessions of
  /// several gateways.
  indirect case ofGateway(UniqueID, PageQuestion)

  public enum RecordingCommand: String, Hashable, Sendable, CaseIterable {
    case start, stop, pause, resume
  }

  /// A time on the gateway's clock. A page gets the clock's current time from the gateway's events.
  public struct Instant: Hashable, Sendable {
    /// The id of the boot that started the clock.
    public var boot: UniqueID
    public var seconds: Double
  }

  /// A section of a signal, in seconds since the start of its session.
  public struct Stretch: Hashable, Sendable {
    public var board: BoardAddress
    public var signal: String
    public var from: Double
    public var to: Double
    public var columns: Int
  }

  /// A hazard, a note, a report or a change to the tasks, entered on a page.
  public struct Remark: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
      /// A hazard on the route, with its intensity.
      case hazard(name: String, intensity: Int)
      /// A note. If `insteadOf` is not `nil`, the note replaces the earlier note with that text. An
      /// empty note removes the earlier one.
      case text(String, insteadOf: String?)
      /// A report about the session: whether there were hazards, and the answers to questions.
      case report(JSON)
      /// A change to the session's tasks. `task` is the task's id, or `nil` for the running task.
      case task(TaskAction, task: String?, reason: String)
    }

    public enum TaskAction: Hashable, Sendable {
      case begin
      /// End the running task. `isEarly` is true if the task was stopped early.
      case end(isEarly: Bool)
      case skip
    }

    public enum Time: Hashable, Sendable {
      /// The remark refers to a time this many seconds before it was sent. `sent` is `nil` if the
      /// page has not received the gateway's clock time.
      case ago(Double, sent: Instant?)
      /// Seconds after the session's start.
      case at(Double)
    }

    /// Identifies the remark. If a page sends it again, it is stored only once.
    public var id: UniqueID
    public var content: Content
    public var time: Time
  }

  /// Whether the request is a command that changes something.
  public var isCommand: Bool {
    switch self {
    case .record, .note, .edit, .delete: true
    case .ofGateway(_, let question): question.isCommand
    default: false
    }
  }
}
