internal import Gateway
internal import LinuxSystem
internal import Storage
internal import Terminal
internal import Upload
internal import Values

/// Shows an upload's progress: as a bar on a terminal, or else as a line printed from time to time.
final class ShownUpload: Sendable {
  private struct State {
    var progress: [Int64: Uploader.Progress] = [:]
    var lastShown: BootTime?
    var lastLine: BootTime
    /// The last reason shown for each destination that is waiting.
    var reasons: [Int64: String] = [:]
  }

  /// The minimum interval in seconds between two updates of the terminal, or between two lines.
  private static let interval = 0.2
  private static let lineInterval = 10.0

  private let console: Console
  private let totals: UploadCounts.Amount
  private let names: [Int64: String]
  private let start = BootClock.now()
  private let state: Guarded<State>

  init(_ console: Console, _ totals: UploadCommand.Totals) {
    self.console = console
    self.totals = totals.sum
    names = Dictionary(
      uniqueKeysWithValues: totals.destinations.map { ($0.0.number, $0.0.name ?? "") })
    state = Guarded(State(lastLine: start))
  }

  /// Records the upload progress for one destination. May be called on any thread.
  func tell(_ told: UploadRun.Progress) {
    let now = BootClock.now()
    let name = names[told.destination] ?? ""
    let (bar, line, rest) = state.withLock { state -> (String?, [Int]?, String?) in
      state.progress[told.destination] = told.progress
      var chunks = 0
      var bytes = 0
      for progress in state.progress.values {
        chunks += progress.counts.chunks
        bytes += progress.counts.bytes
      }
      var rest: String?
      if told.progress.restingUntil != nil {
        // A reason is reported again only if it has changed, however often the upload is retried.
        let reason = told.progress.setback?.reason ?? ""
        if state.reasons.updateValue(reason, forKey: told.destination) != reason { rest = reason }
      }
      var bar: String?
      if state.lastShown.map({ now.seconds(since: $0) >= Self.interval }) ?? true {
        state.lastShown = now
        bar =
          UploadBar(chunks: chunks, bytes: bytes, of: totals, after: now.seconds(since: start))
          .text
      }
      var line: [Int]?
      if now.seconds(since: state.lastLine) >= Self.lineInterval {
        state.lastLine = now
        line = [chunks, bytes]
      }
      return (bar, line, rest)
    }
    if let rest {
      console.notice(
        "waiting", ["destination": name, "reason": TerminalText.harmless(rest)])
    }
    if let bar { console.showProgress(bar) }
    if let line, !console.isTerminal {
      console.notice(
        "sending",
        [
          "chunks": "\(line[0])", "of": "\(totals.count)",
          "bytes": "\(line[1])", "seconds": "\(Int(now.seconds(since: start)))",
        ])
    }
  }
}

/// Formats an upload's progress on one line.
struct UploadBar {
  private let chunks: Int
  private let bytes: Int
  private let totals: UploadCounts.Amount
  private let seconds: Double

  init(chunks: Int, bytes: Int, of totals: UploadCounts.Amount, after seconds: Double) {
    self.chunks = chunks
    self.bytes = bytes
    self.totals = totals
    self.seconds = seconds
  }

  /// The chunks, bytes, rate and remaining time. The progress never decreases, even if data is
  /// added during the upload.
  var text: String {
    let allBytes = max(totals.bytes, UInt64(bytes))
    let allChunks = max(totals.count, chunks)
    let part = allBytes == 0 ? 1 : Double(bytes) / Double(allBytes)
    var text =
      "\(Bar.text(part)) \(NumberText.grouped(chunks)) of "
      + "\(NumberText.grouped(allChunks)) chunks  \(ByteText.short(UInt64(bytes))) of "
      + ByteText.short(allBytes)
    // During the first half second, a rate would not be meaningful.
    guard seconds >= 0.5, bytes > 0 else { return text }
    let rate = Double(bytes) / seconds
    text += "  \(ByteText.short(UInt64(rate)))/s"
    text += "  \(DurationText.clock(Double(allBytes - UInt64(bytes)) / rate)) left"
    return text
  }
}
