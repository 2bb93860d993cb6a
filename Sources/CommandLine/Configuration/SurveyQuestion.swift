internal import Recording
internal import Terminal
internal import Values

/// A question that a survey asks after a session.
struct SurveyQuestion: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case choice([String])
    /// A whole number in a range.
    case scale(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case text
  }

  var id: String
  var text: String
  var kind: Kind
  var isOptional = false

  init(id: String, text: String, kind: Kind) {
    self.id = id
    self.text = text
    self.kind = kind
  }

  /// The maximum number of choices, and of values on a scale. A phone could not show more of them
  /// at once.
  static let mostChoices = 20
  /// The maximum number of characters in a question.
  static let longest = 300
  /// The default limits of a numeric answer.
  static let numbers = -1e9...1e9

  /// Returns the limits that the definitions set for a numeric answer; `nil` for a limit that they
  /// do not set.
  private static func limits(of range: ClosedRange<Double>) -> (from: Double?, to: Double?) {
    (
      range.lowerBound == numbers.lowerBound ? nil : range.lowerBound,
      range.upperBound == numbers.upperBound ? nil : range.upperBound
    )
  }

  /// The valid answers, as an instruction to the user.
  var advice: String {
    switch kind {
    case .choice(let choices):
      "answer with one of these numbers:\n"
        + choices.enumerated().map { "\($0 + 1) \($1)" }.joined(separator: "\n")
    case .scale(let range):
      "answer with a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .number(let range):
      switch Self.limits(of: range) {
      case (nil, nil): "answer with a number"
      case (let from?, nil): "answer with a number of at least \(NumberText.plain(from))"
      case (nil, let to?): "answer with a number of at most \(NumberText.plain(to))"
      case (let from?, let to?):
        "answer with a number from \(NumberText.plain(from)) to \(NumberText.plain(to))"
      }
    case .text: "answer with \(LineOfText.rule)"
    }
  }

  /// Returns the answer that the user typed; `nil` if it is invalid. A choice is typed as its
  /// number or its text.
  func answer(_ typed: String) -> WalkReport.Answer? {
    switch kind {
    case .choice(let choices):
      let wanted = typed.lowercased()
      if let same = choices.first(where: { $0.lowercased() == wanted }) { return .text(same) }
      guard let number = Int(typed), choices.indices.contains(number - 1) else { return nil }
      return .text(choices[number - 1])
    case .scale(let range):
      guard let number = Int(typed), range.contains(number) else { return nil }
      return .number(Double(number))
    case .number(let range):
      let isDecimal = typed.utf8.allSatisfy { "0123456789.-+eE".utf8.contains($0) }
      guard isDecimal, let number = Double(typed), range.contains(number) else { return nil }
      return .number(number)
    case .text: return typed.isEmpty || !LineOfText.isFit(typed) ? nil : .text(typed)
    }
  }

  var json: JSONValue {
    var members: [JSONValue.Member] = [.init("id", id), .init("text", text)]
    switch kind {
    case .choice(let choices): members += [.init("type", "choice"), .init("choices", choices)]
    case .scale(let range):
      members += [
        .init("type", "scale"), .init("from", range.lowerBound), .init("to", range.upperBound),
      ]
    case .number(let range):
      let (from, to) = Self.limits(of: range)
      members += [.init("type", "number"), .init("from", from), .init("to", to)]
    case .text: members.append(.init("type", "text"))
    }
    return .object(members + [.init("optional", isOptional)])
  }
}
