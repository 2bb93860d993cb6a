internal import Gateway
internal import Recording
internal import Simulation
internal import Storage
internal import Values

struct SoakCounts: Sendable {
  /// The number of samples sent by the boards.
  var sent: UInt64
  /// The number of samples that the radio delivered to the gateway.
  var arrived: UInt64
  /// The number of samples in the store, summed over all sessions.
  var stored: UInt64 = 0
  /// The number of samples that the store reports as lost, by reason.
  var lost: [LossReason: UInt64] = [:]

  /// Descriptions of samples that are not accounted for; empty if there are none.
  ///
  /// Each delivered sample must be stored, or reported by the gateway as lost. A sample lost over
  /// the air must also be counted as lost. While a link is down, the count of lost samples also
  /// includes samples that no board sent.
  var violations: [String] {
    let own = [LossReason.overflow, .malformed, .store].reduce(0) { $0 + lost[$1, default: 0] }
    var broken: [String] = []
    if stored + own != arrived {
      broken.append(
        "\(arrived) samples arrived, \(stored) were stored and \(own) lost by the gateway")
    }
    let all = lost.values.reduce(0, +)
    if sent > arrived, all < sent - arrived {
      broken.append("\(sent - arrived) samples were lost over the air, but \(all) are counted")
    }
    return broken
  }

  /// Adds samples that the gateway's log reports as lost because they could not be stored. No store
  /// has a record of these samples.
  mutating func add(log text: String) {
    for line in text.split(separator: "\n") where line.holds("event=\"session closed\"") {
      guard let reasons = line.split(at: "reasons=\"").dropFirst().first,
        let count = reasons.split(at: "store ").last?.prefix(while: \.isNumber)
      else { continue }
      if reasons.holds("store "), let number = UInt64(count) {
        lost[.store, default: 0] += number
      }
    }
  }

  var line: String {
    let reasons = LossReason.allCases.compactMap { reason in
      lost[reason].map { "\(reason.name) \($0)" }
    }
    return "samples: \(sent) sent, \(arrived) arrived, \(stored) stored, "
      + "\(lost.values.reduce(0, +)) lost"
      + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))")
  }

  /// Adds the samples in a store. If `closedOnly` is set, open sessions are skipped.
  mutating func add(store path: String, closedOnly: Bool = false) throws {
    let sessions = try StoreReader(path: path).sessions()
    for session in sessions where !closedOnly || session.end != nil {
      let summary = try SessionSummary(of: session, in: path, readingAll: true)
      for stream in summary.streams {
        stored += UInt64(stream.samples)
        lost.merge(stream.lost) { $0 + $1 }
      }
    }
  }
}
