/// Downloads a board's log. This value type turns notifications into actions.
///
/// The steps are: send `begin`, receive the log's length, request the read-out, receive entries and
/// pages until none are left, and send `finish`. After a lost link, a new download continues from
/// the last stored `checkpoint`. If the board sends the unconfirmed page again, the new download
/// drops the entries that are already stored. It also completes samples whose first pieces were in
/// a page that the board has erased.
public struct LogDownload: Sendable {
  /// An action that the caller must perform next.
  public enum Action: Hashable, Sendable {
    /// Send this command to the board.
    case write(Command)
    /// Buffer this sample until the next `storeAndConfirm`.
    case keep(LogAssembler.Sample)
    /// Report this entry, because it does not belong to any known trigger.
    case report(LogEntry)
    /// Store the buffered samples together with the `checkpoint`, and then send
    /// `Logging.confirmPage`. The board erases the page as soon as it is confirmed.
    case storeAndConfirm
    /// Show the number of remaining entries to the user.
    case show(entriesLeft: UInt32)
    /// The board has sent all its entries, but some of them may still be in transit. Send `finish`
    /// after they have arrived.
    case drained
  }

  public var signals: [LogAssembler.Signal] { assembler.signals }

  /// The state that must be stored together with the buffered samples, so that another download can
  /// continue.
  public var checkpoint: LogAssembler.Checkpoint { assembler.checkpoint }

  private let revision: UInt8
  private let progressInterval: UInt32
  private var assembler: LogAssembler

  /// `revision` is the logging module's revision. The board reports its progress after every
  /// `progressInterval` entries.
  public init(_ assembler: LogAssembler, revision: UInt8, progressInterval: UInt32 = 0) {
    self.assembler = assembler
    self.revision = revision
    self.progressInterval = progressInterval
  }

  public var begin: [Command] {
    [.subscribe(.logging, 0x08)] + (revision >= 2 ? [.subscribe(.logging, 0x0d)] : [])
      + [.subscribe(.logging, 0x07), Logging.readLength]
  }

  /// The last commands of a download, which delete the downloaded entries and their triggers. They
  /// must be sent while recording is stopped.
  public static let finish = [
    Logging.drop(entries: .max).command, Logging.removeAllTriggers.command,
  ]

  /// Notifications from other modules are ignored.
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
