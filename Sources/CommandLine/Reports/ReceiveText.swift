internal import LinuxSystem
internal import Terminal
internal import UploadServer
internal import Values

/// Formats the counts of received uploads as text and as JSON.
public enum ReceiveText {
  static func line(_ counts: IntakeCounts) -> String {
    var parts = [
      "Received \(NumberText.count(counts.stored, "chunk")) (\(bytes(counts.storedBytes)))",
      NumberText.count(counts.records, "record"), NumberText.count(counts.pieces, "track segment"),
    ]
    if counts.mended > 0 {
      parts.append("\(NumberText.count(counts.mended, "damaged chunk")) replaced")
    }
    if counts.held > 0 { parts.append("\(NumberText.grouped(counts.held)) repeated") }
    if counts.conflicts > 0 {
      parts.append("\(NumberText.grouped(counts.conflicts)) contradicted stored data")
    }
    if counts.refused > 0 {
      parts.append("\(NumberText.grouped(counts.refused)) were damaged or invalid")
    }
    if counts.strangers > 0 {
      parts.append("\(NumberText.count(counts.strangers, "request")) without the token")
    }
    if counts.failures > 0 {
      parts.append("\(NumberText.count(counts.failures, "request")) failed on this server")
    }
    return parts.joined(separator: ", ")
  }

  static func json(_ counts: IntakeCounts) -> JSONValue {
    [
      "chunks": counts.stored.json, "bytes": counts.storedBytes.json,
      "records": counts.records.json, "track_pieces": counts.pieces.json,
      "mended": counts.mended.json, "held": counts.held.json, "conflicts": counts.conflicts.json,
      "refused": counts.refused.json, "without_token": counts.strangers.json,
      "failures": counts.failures.json,
    ]
  }

  /// Formats a number of bytes with a suitable unit.
  public static func bytes(_ count: Int) -> String {
    switch count {
    case ..<1_000: "\(count) B"
    case ..<1_000_000: "\(NumberText.fixed(Double(count) / 1e3, decimals: 1)) kB"
    default: "\(NumberText.fixed(Double(count) / 1e6, decimals: 1)) MB"
    }
  }
}

/// Shows the progress of receiving: as a repainted line on a terminal, or else as a new line from
/// time to time.
struct ReceiveProgress {
  /// The minimum interval between two log lines, in seconds.
  private static let interval = 10.0

  private let console: Console
  private var shown = IntakeCounts()
  private var logged = IntakeCounts()
  private var last: BootTime?

  init(_ console: Console) {
    self.console = console
  }

  /// Whether the last counts shown have not been logged yet.
  var isBehind: Bool { shown != logged }

  mutating func show(_ counts: IntakeCounts) {
    if counts.failures > shown.failures, let reason = counts.lastFailure {
      if shown.failures == 0 || counts.lastFailure != shown.lastFailure {
        console.warning("failed", ["reason": reason])
      }
    }
    if counts.mended > shown.mended, let chunk = counts.lastMended {
      let further = counts.mended - shown.mended - 1
      console.warning("mended", ["chunk": "\(chunk)", "further": "\(further)"])
    }
    if counts != shown { console.showProgress(ReceiveText.line(counts)) }
    shown = counts
    let now = BootClock.now()
    guard counts != logged, last.map({ now.seconds(since: $0) >= Self.interval }) ?? true else {
      return
    }
    last = now
    logged = counts
    console.notice(
      "received",
      [
        "chunks": "\(counts.stored)", "bytes": "\(counts.storedBytes)",
        "records": "\(counts.records)", "held": "\(counts.held)",
        "conflicts": "\(counts.conflicts)", "refused": "\(counts.refused)",
        "without_token": "\(counts.strangers)", "failures": "\(counts.failures)",
      ])
  }
}
