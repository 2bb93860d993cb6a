public import Values

/// A query or a command of a page.
public enum PageQuestion: Hashable, Sendable {
  /// The newest sessions; all if no number is given.
  case sessions(newest: Int?)
  /// A session without its samples.
  case session(UniqueID)
  /// The minimum and the maximum of a signal in each column of a stretch.
  case envelope(UniqueID, Stretch)
  /// The fixes of a session, at most `points`.
  case track(UniqueID, points: Int)
  /// The usual names of hazards.
  case hazardNames
  /// The definitions for this gateway, pulled from a destination.
  case definitions
  /// The formats in which a session can be downloaded.
  case formats
  /// A session in such a format.
  case export(UniqueID, format: String)
  /// The metadata of the map.
  case tiles
  /// A tile of the map.
  case tile(zoom: Int, column: Int, row: Int)
  /// Start or stop recording, unless the gateway reads this too late.
  case record(RecordingCommand, until: Instant?)
  /// Note something in a session; `nil` means the one being recorded.
  case note(Remark, session: UniqueID?)
  /// Correct the wearer, or the note on the session.
  case edit(UniqueID, wearer: String?, note: String?)
  case delete(UniqueID)
  /// A query about a session of this gateway, where several gateways have sessions.
  indirect case ofGateway(UniqueID, PageQuestion)

  public enum RecordingCommand: String, Hashable, Sendable, CaseIterable {
    case start, stop, pause, resume
  }

  /// An instant on the gateway's clock, which a page knows from its events.
  public struct Instant: Hashable, Sendable {
    /// The boot of the computer at which the clock started.
    public var boot: UniqueID
    public var seconds: Double
  }

  /// A stretch of a signal in seconds since the start of its session.
  public struct Stretch: Hashable, Sendable {
    public var board: BoardAddress
    public var signal: String
    /// The start.
    public var from: Double
    /// The end.
    public var to: Double
    /// The number of columns.
    public var columns: Int
  }

  /// A hazard or a note made on a page.
  public struct Remark: Hashable, Sendable {
    /// The content of a remark.
    public enum Content: Hashable, Sendable {
      /// A hazard on the route, with its intensity.
      case hazard(name: String, intensity: Int)
      /// A text, which replaces a former one if that is given. An empty text removes it.
      case text(String, insteadOf: String?)
    }

    /// The time of a remark.
    public enum Time: Hashable, Sendable {
      /// Seconds before it was sent; `sent` is `nil` if the page does not know the clock.
      case ago(Double, sent: Instant?)
      /// Seconds after the start of the session.
      case at(Double)
    }

    /// Identifies the remark: one that a page sends again is stored once.
    public var id: UniqueID
    public var content: Content
    public var time: Time
  }

  /// Whether the answer is a file.
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
