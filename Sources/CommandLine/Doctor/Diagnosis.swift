internal import Terminal
internal import Values

/// All findings of the doctor in display order, formatted as text or JSON.
struct Diagnosis: Hashable, Sendable {
  /// The findings: faults first, then warnings. Findings of the same level are in check order.
  let findings: [Finding]

  init(_ findings: [Finding]) {
    let levels = Finding.Level.allCases
    self.findings = levels.flatMap { level in
      Finding.Check.allCases.flatMap { check in
        findings.filter { $0.level == level && $0.check == check }
      }
    }
  }

  /// Failed if there is at least one fault.
  var status: ExitStatus { count(.fault) == 0 ? .ok : .failed }

  var summary: String {
    let parts = [Finding.Level.fault, .warning].compactMap { level -> String? in
      let count = count(level)
      return count == 0 ? nil : NumberText.count(count, level.rawValue)
    }
    return parts.isEmpty
      ? "All is well." : "The doctor found " + parts.joined(separator: " and ") + "."
  }

  private func count(_ level: Finding.Level) -> Int { findings.count { $0.level == level } }

  /// Returns the summary, and a line for each finding with its remedy indented below. Lines wider
  /// than `width` are wrapped and aligned with the text.
  func lines(width: Int = .max) -> [ViewLine] {
    var lines = [ViewLine(summary), ViewLine("")]
    for finding in findings {
      let level = finding.level.rawValue
      let check = finding.check.rawValue
      let head =
        level + TerminalText.padding(level, to: Self.levelWidth)
        + check + TerminalText.padding(check, to: Self.checkWidth)
      let blanks = String(repeating: " ", count: Self.indent)
      func append(_ text: some StringProtocol, start: String, indent: String) {
        let room = width - Self.indent - 2
        var start = start
        for line in TerminalText.wrapped(TerminalText.harmless(String(text)), to: room) {
          lines.append(ViewLine(start + line, finding.level.style))
          start = indent
        }
      }
      append(finding.text, start: head, indent: blanks)
      for remedy in finding.remedy.split(separator: "\n") {
        append(remedy, start: blanks + "  ", indent: blanks + "  ")
      }
    }
    return lines
  }

  var json: JSONValue {
    .object([
      .init("summary", summary),
      .init(
        "findings",
        .array(
          findings.map { finding in
            .object([
              .init("check", finding.check.rawValue), .init("level", finding.level.rawValue),
              .init("text", finding.text), .init("remedy", finding.remedy),
              .init("phone", PhoneWords.json(finding.text, finding.remedy)),
            ])
          })),
    ])
  }

  private static let levelWidth = 9
  private static let checkWidth = 13
  private static let indent = levelWidth + checkWidth
}

extension Finding.Level {
  /// The style of the finding's lines on a colour terminal. The level is also printed as a word.
  fileprivate var style: ViewLine.Style {
    switch self {
    case .fault: .alarming
    case .warning: .notable
    case .ok: .plain
    }
  }
}
