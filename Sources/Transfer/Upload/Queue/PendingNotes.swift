internal import Values

/// Verdicts on their way into the store: waiting ones, and those in the present write.
struct PendingNotes {
  /// Most verdicts in one transaction: it has to stay short, since a recorder may wait for it.
  private static let perWrite = 256
  /// Seconds that a verdict waits for others before it is written.
  private static let delay = 0.25

  private var waiting: [UploadNote] = []
  private var writing: [UploadNote] = []
  private var oldest: BootTime?

  /// Whether the store has all verdicts.
  var isEmpty: Bool { waiting.isEmpty && writing.isEmpty }

  /// The chunks and sessions whose verdict is not in the store yet.
  var subjects: [UploadSubject] { (waiting + writing).map(\.subject) }

  /// The time of the next write; `nil` while one is under way.
  var nextDue: BootTime? {
    writing.isEmpty ? oldest?.advanced(bySeconds: Self.delay) : nil
  }

  /// Adds a verdict to the next write.
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

  /// Ends the write under way and returns its verdicts.
  mutating func written() -> [UploadNote] {
    defer { writing = [] }
    return writing
  }
}
