/// The protocol of one download: notifications in, actions out.
///
/// Begin → length → read-out → entries and pages → none left → `finish`. After a lost link a new
/// download continues from the last stored `checkpoint`. It drops entries that the board sends
/// again from the unconfirmed page, and completes samples that began in a page the board has
/// erased.
public struct LogDownload: Sendable {
  /// The caller's next action.
  public enum Action: Hashable, Sendable {
    /// Write this command.
    case write(Command)
    /// Keep this sample.
    case keep(LogAssembler.Sample)
    /// Report this entry, which belongs to no known trigger.
    case report(LogEntry)
    /// Store the kept samples together with the `checkpoint`, and only then write
    /// `Logging.confirmPage`: the board then erases the page.
    case storeAndConfirm
    /// Show the number of remaining entries.
    case show(entriesLeft: UInt32)
    /// All entries were sent. Some may still arrive late; after them, write `finish`.
    case drained
  }

  /// The logged signals.
  public var signals: [LogAssembler.Signal] { assembler.signals }

  /// State that must be stored with the samples kept so far, so that another download can continue
  /// from here.
  public var checkpoint: LogAssembler.Checkpoint { assembler.checkpoint }

  private let revision: UInt8
  private let progressInterval: UInt32
  private var assembler: LogAssembler

  /// A download from a logging module of this revision; progress is reported every
  /// `progressInterval` entries.
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

  /// The last writes, with recording stopped: they delete the downloaded entries and their
  /// triggers.
  public static let finish = [
    Logging.drop(entries: .max).command, Logging.removeAllTriggers.command,
  ]

  /// Handles a notification; notifications of other modules are ignored.
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
