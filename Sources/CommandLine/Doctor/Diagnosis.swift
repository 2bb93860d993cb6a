internal import Terminal
internal import Values

/// All findings, in the order in which a person should read them, for people and for programs.
struct Diagnosis: Hashable, Sendable {
  /// Faults first, then warnings; within a level in the order of the checks.
  let findings: [Finding]

  init(_ findings: [Finding]) {
    let levels = Finding.Level.allCases
    self.findings = levels.flatMap { level in
      Finding.Check.allCases.flatMap { check in
        findings.filter { $0.level == level && $0.check == check }
      }
    }
  }

  /// The exit status: failed if there is a fault.
  var status: ExitStatus { count(.fault) == 0 ? .ok : .failed }

  /// One sentence.
  var summary: String {
    let parts = [Finding.Level.fault, .warning].compactMap { level -> String? in
      let count = count(level)
      return count == 0 ? nil : "\(count) \(level.rawValue)" + (count == 1 ? "" : "s")
    }
    return parts.isEmpty
      ? "All is well." : "The doctor found " + parts.joined(separator: " and ") + "."
  }

  private func count(_ level: Finding.Level) -> Int { findings.count { $0.level == level } }

  /// The sentence, and a line for each finding with its remedy indented below it. A line wider than
  /// `width` goes on below its text.
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

  /// The same for programs.
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
  /// The style of its lines on a terminal with colours, besides the word.
  fileprivate var style: ViewLine.Style {
    switch self {
    case .fault: .alarming
    case .warning: .notable
    case .ok: .plain
    }
  }
}
