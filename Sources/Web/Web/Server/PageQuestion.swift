public import Values

/// A question of a page to what is behind its server, or a command.
public enum PageQuestion: Hashable, Sendable {
  /// The newest sessions, all of them where no number is given.
  case sessions(newest: Int?)
  /// A session without its samples.
  case session(UniqueID)
  /// The least and the greatest value of a signal in each column of a stretch.
  case envelope(UniqueID, Stretch)
  /// The fixes of a session, at most so many.
  case track(UniqueID, points: Int)
  /// The names that a hazard usually has.
  case hazardNames
  /// The values that a destination keeps for this gateway.
  case definitions
  /// The forms in which a session can be downloaded.
  case formats
  /// A session in such a form.
  case export(UniqueID, format: String)
  /// What the map is drawn on.
  case tiles
  /// A tile of it.
  case tile(zoom: Int, column: Int, row: Int)
  /// Begin to record, or end it, unless the gateway reads this too late.
  case record(RecordingCommand, until: Instant?)
  /// Note something in a session; `nil` is the one that is being recorded.
  case note(Remark, session: UniqueID?)
  /// Correct who wore the boards, or the note on the session.
  case edit(UniqueID, wearer: String?, note: String?)
  /// Delete a session.
  case delete(UniqueID)
  /// A question about a session that is meant to be of this gateway, where several have sessions.
  indirect case ofGateway(UniqueID, PageQuestion)

  /// A command for the recording.
  public enum RecordingCommand: String, Hashable, Sendable, CaseIterable {
    case start, stop, pause, resume
  }

  /// An instant on the clock of the gateway, which a page knows from its events.
  public struct Instant: Hashable, Sendable {
    /// The start of the computer, since which the clock runs.
    public var boot: UniqueID
    /// Seconds on the clock.
    public var seconds: Double
  }

  /// A stretch of a signal in seconds since the start of its session.
  public struct Stretch: Hashable, Sendable {
    /// The board.
    public var board: BoardAddress
    /// The signal.
    public var signal: String
    /// Where it begins.
    public var from: Double
    /// Where it ends.
    public var to: Double
    /// In how many columns.
    public var columns: Int
  }

  /// A hazard or a note that somebody made on a page.
  public struct Remark: Hashable, Sendable {
    /// What it says.
    public enum Content: Hashable, Sendable {
      /// A hazard on the route, and how bad it was.
      case hazard(name: String, intensity: Int)
      /// A text, in place of a former one where one is given. An empty text removes that.
      case text(String, insteadOf: String?)
    }

    /// When it was made.
    public enum Time: Hashable, Sendable {
      /// So many seconds before it was sent; `sent` is `nil` if the page does not know the clock.
      case ago(Double, sent: Instant?)
      /// So many seconds after the start of the session.
      case at(Double)
    }

    /// Its identity: what a page sends again is stored once.
    public var id: UniqueID
    /// What it says.
    public var content: Content
    /// When it was made.
    public var time: Time
  }

  /// Whether its answer is a file.
  var isDownload: Bool {
    switch self {
    case .export: true
    case .ofGateway(_, let question): question.isDownload
    default: false
    }
  }

  /// Whether it changes something.
  public var isCommand: Bool {
    switch self {
    case .record, .note, .edit, .delete: true
    case .ofGateway(_, let question): question.isCommand
    default: false
    }
  }
}
