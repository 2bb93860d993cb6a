internal import MetaWearProtocol

/// Runs a log download. The input contains triggers as the board lists them, then entries as they
/// arrive.
struct LogCheck {
  private let revision: UInt8
  private var triggers: [LogTrigger] = []
  private var download: LogDownload
  private var entries = 0
  private var pieces = 0

  init(revision: UInt8) {
    self.revision = revision
    download = LogDownload(LogAssembler([]), revision: revision)
  }

  mutating func take(_ notification: Notification) {
    if case .logTrigger(let source?) = notification {
      // A board has at most 32 triggers. With more, ids would repeat, which never happens on a
      // board.
      triggers.append(LogTrigger(id: UInt8(triggers.count) & 0x1f, source: source))
      begin()
    }
    if case .logEntries(_, let second) = notification {
      entries += second == nil ? 1 : 2
    }
    let actions = download.receive(notification)
    hold(actions.count <= 2, "a packet has at most two entries")
    for action in actions { check(action) }
    hold(pieces <= entries, "each piece of a sample has its own entry")
    // Simulate a dropped link: the entries of the unconfirmed page are sent again.
    if case .logProgress = notification { begin() }
  }

  private mutating func begin() {
    download = LogDownload(
      LogAssembler(triggers, after: download.checkpoint), revision: revision)
    hold(
      download.signals.reduce(0) { $0 + $1.triggers.count } == triggers.count,
      "each trigger belongs to one signal")
  }

  private mutating func check(_ action: LogDownload.Action) {
    switch action {
    case .keep(let sample):
      let signal = download.signals[sample.signal]
      hold(sample.bytes.count == signal.length, "a sample has the length of its signal")
      hold(
        signal.packet(holding: sample.bytes).suffix(sample.bytes.count) == sample.bytes[...],
        "a logged value decodes like one that was sent")
      pieces += signal.triggers.count
    case .report(let entry):
      hold(
        !triggers.contains { $0.id == entry.trigger }, "only entries without a trigger are reported"
      )
    case .write(let command):
      hold(command.bytes.count <= Command.maximumLength, "a command fits into a packet")
    case .storeAndConfirm, .show, .drained: break
    }
  }
}
