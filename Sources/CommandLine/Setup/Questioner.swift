internal import Terminal

/// Asks the user questions, and repeats a question until the answer is valid.
struct Questioner: Sendable {
  /// Asks the user for a line. Returns `nil` at the end of the input.
  var read: @Sendable (_ question: String) -> String?
  /// Shows lines between two questions.
  var tell: @Sendable (_ lines: [String]) -> Void

  /// The terminal's width in columns.
  let width: Int

  /// The error if the input ends before the last answer.
  var ended = Complaint(
    "the input ended before the last answer, and nothing was written",
    remedy: "answer all questions, or give options and --yes")

  init(_ console: Console) {
    let width = console.tableWidth
    @Sendable func fitted(_ lines: [String]) -> String {
      lines.flatMap { TerminalText.folded($0, to: width) }.joined(separator: "\n")
    }
    self.width = width
    read = { console.ask(fitted([$0])) }
    tell = { console.say(fitted($0)) }
  }

  init(
    read: @escaping @Sendable (String) -> String?, tell: @escaping @Sendable ([String]) -> Void
  ) {
    width = .max
    self.read = read
    self.tell = tell
  }

  /// Asks until the answer is valid. An empty answer selects `standard`, which is shown with the
  /// question. For an invalid answer, `value` throws the reason, or returns `nil` if `advice` is a
  /// sufficient explanation.
  func ask<Value>(
    _ question: String, standard: String?, advice: String,
    _ value: (String) throws(Complaint) -> Value?
  ) throws(Complaint) -> Value {
    let shown = standard.map { " [\(TerminalText.harmless($0))]" } ?? ""
    while true {
      guard let line = read("\(question)\(shown)") else { throw ended }
      let typed = line.split(separator: " ").joined(separator: " ")
      do throws(Complaint) {
        if let value = try value(typed.isEmpty ? standard ?? "" : typed) { return value }
        tell(advice.split(separator: "\n").map { "  \($0)" })
      } catch {
        tell([error.message] + error.remedy.split(separator: "\n").map { "  \($0)" })
      }
    }
  }

  /// Asks for a parameter's value; `nil` means no value. If `key` is given, only values that the
  /// configuration file can store are accepted.
  func ask<Value>(
    _ question: String, _ parameter: Parameter<Value>, standard: Value?, none: String? = nil,
    key: String? = nil
  ) throws(Complaint) -> Value? {
    let advice = parameter.argument.advice + (none.map { "\nor write '\($0)'" } ?? "")
    return try ask(question, standard: standard.map(parameter.text) ?? none, advice: advice) {
      text throws(Complaint) -> Value?? in
      if let none, text == none { return .some(nil) }
      guard let value = parameter.value(text) else { return nil }
      if let key { try ConfigurationEdit.check(key, parameter.text(value)) }
      return .some(value)
    }
  }

  func confirm(_ question: String, standard: Bool = true) throws(Complaint) -> Bool {
    try ask(question, standard: standard ? "yes" : "no", advice: "answer yes or no") { text in
      switch text.lowercased() {
      case "y", "yes": true
      case "n", "no": false
      default: nil
      }
    }
  }
}
