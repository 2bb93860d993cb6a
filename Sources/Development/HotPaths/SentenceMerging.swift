internal import NMEA
internal import Recording
internal import Values

extension HotPath {
  static let merged = "merged"

  /// Merges sentences into fixes, starting from bytes as they arrive from a serial port. The log is
  /// read repeatedly until the requested number of sentences is reached. The work returns 0 if a
  /// fix or a sentence is missing.
  public static func merging(_ log: SentenceLog) -> HotPath {
    HotPath(merged, samplesPerUnit: 1) { sentences in
      let rounds = (sentences + log.sentences - 1) / log.sentences
      let isWhole = (0..<rounds).allSatisfy { _ in fixes(of: log) == SentenceLog.seconds }
      return isWhole ? sentences : 0
    }
  }

  private static func fixes(of log: SentenceLog) -> Int {
    var reader = NMEAReader(floor: WeekRollover.replayFloor)
    var fixes = 0
    let text = log.bytes.span
    var position = 0
    while position < text.count {
      let end = min(position + 4_096, text.count)
      reader.receive(text.extracting(position..<end), at: BootTime(nanoseconds: 0)) {
        if case .fix = $0 { fixes += 1 }
      }
      position = end
    }
    reader.flush { if case .fix = $0 { fixes += 1 } }
    return reader.counts.accepted == log.sentences ? fixes : 0
  }
}
