/// The conversation of one download: notifications in, actions out.
///
/// Begin → length → read-out → entries and pages → none left → `finish`. After a lost link a new
/// download begins after the last `checkpoint` stored. It drops entries that the board sends again
/// from the unconfirmed page, and completes samples that began in a page the board has erased.
public struct LogDownload: Sendable {
  /// What the caller does next.
  public enum Action: Hashable, Sendable {
    /// Write this.
    case write(Command)
    /// Keep this sample.
    case keep(LogAssembler.Sample)
    /// Report this entry, which no known trigger made.
    case report(LogEntry)
    /// Store safely all that was kept and the `checkpoint`, both at once, and only then write
    /// `Logging.confirmPage`: the board erases the page.
    case storeAndConfirm
    /// Show how many entries are left.
    case show(entriesLeft: UInt32)
    /// All was sent. Entries may follow late; afterwards write `finish`.
    case drained
  }

  /// The signals logged.
  public var signals: [LogAssembler.Signal] { assembler.signals }

  /// What has to be stored with the samples kept so far, for another download to go on from here.
  public var checkpoint: LogAssembler.Checkpoint { assembler.checkpoint }

  private let revision: UInt8
  private let progressInterval: UInt32
  private var assembler: LogAssembler

  /// A download from a logging module of this revision; progress is told every so many entries.
  public init(_ assembler: LogAssembler, revision: UInt8, progressInterval: UInt32 = 0) {
    self.assembler = assembler
    self.revision = revision
    self.progressInterval = progressInterval
  }

  /// The first writes.
  public var begin: [Command] {
    [.subscribe(.logging, 0x08)] + (revision >= 2 ? [.subscribe(.logging, 0x0d)] : [])
      + [.subscribe(.logging, 0x07), Logging.readLength]
  }

  /// The last writes, with recording stopped: they forget the downloaded entries and their
  /// triggers.
  public static let finish = [
    Logging.drop(entries: .max).command, Logging.removeAllTriggers.command,
  ]

  /// Takes a notification; those of other modules mean nothing here.
  public mutating func receive(_ notification: Notification) -> [Action] {
    switch notification {
    case .logLength(0): [.drained]
    case .logLength(let entries):
      [
        .write(
          Logging.readOut(entries: entries, progressInterval: progressInterval).command)
      ]
    case .logEntries(let first, let second):
      take(first) + (second.map { take($0) } ?? [])
    case .logPageComplete: [.storeAndConfirm]
    case .logProgress(entriesLeft: 0): [.drained]
    case .logProgress(let entriesLeft): [.show(entriesLeft: entriesLeft)]
    default: []
    }
  }

  private mutating func take(_ entry: LogEntry) -> [Action] {
    switch assembler.add(entry) {
    case .waiting, .repeated: []
    case .sample(let sample): [.keep(sample)]
    case .unknown: [.report(entry)]
    }
  }
}
