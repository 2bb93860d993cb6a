internal import Gateway
internal import Recording
internal import Storage
internal import Terminal
internal import Upload
internal import Values

/// The report on an upload to one destination.
struct UploadReport {
  private let name: String
  private let outcome: Uploader.Outcome
  private let counts: UploadCounts

  init(_ stored: StoredDestination, _ outcome: Uploader.Outcome, _ counts: UploadCounts) {
    name = stored.name ?? stored.place
    self.outcome = outcome
    self.counts = counts
  }

  /// Returns the exit status for several reports. An unreachable destination takes precedence over
  /// parked chunks.
  static func status(of reports: [UploadReport]) -> ExitStatus {
    if reports.contains(where: \.isUnreachable) { return .unreachable }
    return reports.contains(where: \.hasParked) ? .parked : .ok
  }

  private var isUnreachable: Bool {
    if case .unreachable = outcome.ending { true } else { false }
  }

  private var parked: Int { counts.parkedChunks.count + counts.parkedSessions }

  private var hasParked: Bool { parked > 0 }

  var lines: [String] {
    let done = UploadCounts.Amount(
      count: outcome.counts.chunks, bytes: UInt64(outcome.counts.bytes))
    var parts = ["\(DestinationText.amount(done)) sent"]
    if outcome.counts.sessions > 0 {
      parts.append("\(NumberText.count(outcome.counts.sessions, "session")) complete")
    }
    if counts.waitingChunks.count > 0 {
      parts.append("\(DestinationText.amount(counts.waitingChunks)) wait")
    }
    if hasParked { parts.append("\(parked) parked") }
    return ["\(name): " + parts.joined(separator: ", ")]
  }

  /// Prints messages about everything that needs the user's attention.
  func warn(_ console: Console) {
    switch outcome.ending {
    case .unreachable(let setback):
      console.complain(
        Complaint(
          "cannot upload to '\(name)': \(setback.reason)",
          remedy: setback.remedy))
    case .closed(let minutes):
      console.notice(
        "closed",
        [
          "destination": name, "opens_in": DurationText.short(60 * Double(minutes)),
          "remedy": "'footbridge upload --now' ignores the destination's hours",
        ])
    case .drained, .stopped, .failed: break
    }
    if hasParked {
      console.warning(
        "parked",
        [
          "destination": name, "count": "\(parked)",
          "remedy":
            "'footbridge uploads' shows the reasons and remedies; then "
            + "'footbridge uploads retry' makes the next upload send the data again",
        ])
    }
  }

  /// Warns about a session's chunks that cannot be sent again because the store no longer contains
  /// them.
  static func warn(of gone: [GoneChunks], _ session: UniqueID, _ console: Console) {
    let chunks = gone.map { gone in
      let places = gone.places.map { range in
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound)"
      }
      return "\(places.joined(separator: ", ")) of \(gone.board) \(gone.signal)"
    }
    console.warning(
      "cannot be sent again",
      [
        "session": "\(session)", "count": "\(gone.reduce(0) { $0 + $1.count })",
        "chunks": chunks.joined(separator: "; "), "reason": "the store no longer contains them",
        "remedy":
          "if the destination lacks them too, look for them at another destination or in a backup",
      ])
  }

  var json: JSONValue {
    let setback: Setback? =
      if case .unreachable(let setback) = outcome.ending { setback } else { nil }
    let ending =
      switch outcome.ending {
      case .drained: "done"
      case .stopped: "stopped"
      case .unreachable: "unreachable"
      case .closed: "closed"
      case .failed: "failed"
      }
    return .object(
      [
        .init("destination", name), .init("ending", ending), .init("reason", setback?.reason),
        .init("chunks", outcome.counts.chunks), .init("bytes", outcome.counts.bytes),
        .init("sessions", outcome.counts.sessions), .init("newlyParked", outcome.counts.parked),
      ] + DestinationText.json(counts))
  }
}
