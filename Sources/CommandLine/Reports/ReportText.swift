internal import Recording
internal import Terminal
internal import Values

/// Formats the reports about a session as text and as JSON.
enum ReportText {
  /// Returns a report as one line, as in "no hazard; mood: good; pain: not answered".
  static func line(_ report: WalkReport) -> String {
    let hazards =
      switch report.hazards {
      case .none: "no hazard"
      case .reported: "hazards reported"
      case .unanswered: "hazards: not answered"
      }
    let answers = report.answers.sorted { $0.key < $1.key }.map { question, answer in
      let text =
        switch answer {
        case .text(let text): TerminalText.harmless(text)
        case .number(let number): NumberText.plain(number)
        case nil: "not answered"
        }
      return "\(question): \(text)"
    }
    return ([hazards] + answers).joined(separator: "; ")
  }

  static func json(_ report: WalkReport) -> JSONValue {
    .object([
      .init("utc", report.utc?.iso8601()), .init("hazards", report.hazards.rawValue),
      .init("answers", report.answersJSON),
    ])
  }
}
