internal import Values

/// Verdicts on their way into the store: those that wait, and those of the write under way.
struct PendingNotes {
  /// Verdicts in one transaction at most: it has to stay short, since a recorder may wait for it.
  private static let perWrite = 256
  /// Seconds that a verdict waits for others until it is written.
  private static let delay = 0.25

  private var waiting: [UploadNote] = []
  private var writing: [UploadNote] = []
  private var oldest: BootTime?

  /// Whether the store has them all.
  var isEmpty: Bool { waiting.isEmpty && writing.isEmpty }

  /// The chunks and sessions that the store does not have the verdict of.
  var subjects: [UploadSubject] { (waiting + writing).map(\.subject) }

  /// When the next write is due; `nil` while one is under way.
  var nextDue: BootTime? {
    writing.isEmpty ? oldest?.advanced(bySeconds: Self.delay) : nil
  }

  /// A verdict that waits.
  mutating func add(_ note: UploadNote, at now: BootTime) {
    if waiting.isEmpty { oldest = now }
    waiting.append(note)
  }

  /// The verdicts of the next write, if one is due and none is under way.
  mutating func nextWrite(at now: BootTime, isUrgent: Bool) -> [UploadNote]? {
    guard let due = nextDue, isUrgent || waiting.count >= Self.perWrite || now >= due else {
      return nil
    }
    writing = Array(waiting.prefix(Self.perWrite))
    waiting.removeFirst(writing.count)
    oldest = waiting.isEmpty ? nil : now
    return writing
  }

  /// The write under way has ended: what it was about.
  mutating func written() -> [UploadNote] {
    defer { writing = [] }
    return writing
  }
}
