internal import Values

/// Verdicts that have not been written to the store yet. Some are waiting, and others are being
/// written.
struct PendingNotes {
  /// The maximum number of verdicts per transaction. A transaction must be short, because a
  /// recorder may be waiting for it.
  private static let perWrite = 256
  /// The number of seconds that a verdict waits for further verdicts, so that all of them can be
  /// written together.
  private static let delay = 0.25

  private var waiting: [UploadNote] = []
  private var writing: [UploadNote] = []
  private var oldest: BootTime?

  /// Whether all verdicts are in the store.
  var isEmpty: Bool { waiting.isEmpty && writing.isEmpty }

  /// The chunks and sessions whose verdicts are not in the store yet.
  var subjects: [UploadSubject] { (waiting + writing).map(\.subject) }

  /// The time of the next write; `nil` if no verdict is waiting or a write is in progress.
  var nextDue: BootTime? {
    writing.isEmpty ? oldest?.advanced(bySeconds: Self.delay) : nil
  }

  /// Adds a verdict to the next write.
  mutating func add(_ note: UploadNote, at now: BootTime) {
    if waiting.isEmpty { oldest = now }
    waiting.append(note)
  }

  /// Returns the verdicts to write now. Returns `nil` if no write is due or if one is already in
  /// progress.
  mutating func nextWrite(at now: BootTime, isUrgent: Bool) -> [UploadNote]? {
    guard let due = nextDue, isUrgent || waiting.count >= Self.perWrite || now >= due else {
      return nil
    }
    writing = Array(waiting.prefix(Self.perWrite))
    waiting.removeFirst(writing.count)
    oldest = waiting.isEmpty ? nil : now
    return writing
  }

  /// Records that the current write has finished, and returns its verdicts.
  mutating func written() -> [UploadNote] {
    defer { writing = [] }
    return writing
  }
}
