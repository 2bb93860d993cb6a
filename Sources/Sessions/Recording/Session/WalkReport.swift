public import Values

/// A person's report about a session: whether there were hazards, and the answers to the questions
/// of a survey.
///
/// Without a report, it is unknown whether there were hazards. A question that is missing from
/// `answers` was not asked. A question with the answer `nil` was not answered.
public struct WalkReport: Hashable, Sendable {
  public enum Hazards: String, Hashable, Sendable, CaseIterable {
    /// The person reported that there were no hazards.
    case none
    /// The person reported hazards, which are stored in the session.
    case reported
    /// The person did not answer.
    case unanswered
  }

  public enum Answer: Hashable, Sendable {
    case text(String)
    case number(Double)
  }

  public var hazards: Hazards
  /// The answers by question id; `nil` for a question that was not answered.
  public var answers: [String: Answer?]
  /// Universal time at which the report was submitted; `nil` if unknown.
  public var utc: UTCTime?

  public static let mostAnswers = 100

  public init(hazards: Hazards, answers: [String: Answer?] = [:], utc: UTCTime? = nil) {
    self.hazards = hazards
    self.answers = answers
    self.utc = utc
  }

  public static func all(in events: some Sequence<SessionEvent>) -> [WalkReport] {
    events.compactMap(WalkReport.init)
  }

  init?(_ event: SessionEvent) {
    guard event.kind == .submitted, let json = try? JSON(parsing: Array(event.text.utf8)),
      let report = WalkReport(json: json)
    else { return nil }
    self = report
    utc = event.utc
  }

  public func event(at time: BootTime) -> SessionEvent {
    SessionEvent(.submitted, at: time, utc: utc, text: json.text)
  }
}

extension WalkReport: JSONReadable {
  /// The report as JSON, without the time of its submission.
  package var json: JSONValue {
    .object([.init("hazards", hazards.rawValue), .init("answers", answersJSON)])
  }

  package var answersJSON: JSONValue {
    .object(
      answers.sorted { $0.key < $1.key }.map { question, answer in
        switch answer {
        case .text(let text): .init(question, text)
        case .number(let number): .init(question, number)
        case nil: .init(question, JSONValue.null)
        }
      })
  }

  /// Returns `nil` unless `hazards` is valid, and every answer is a line of text, a number or null.
  package init?(json: JSON) {
    guard let hazards = json["hazards"]?.text.flatMap(Hazards.init(rawValue:)) else { return nil }
    self.init(hazards: hazards)
    guard let value = json["answers"] else { return }
    guard case .object(let members) = value, members.count <= Self.mostAnswers else { return nil }
    for (question, answer) in members {
      guard TaskLog.isID(question) else { return nil }
      switch answer {
      case .text(let text) where LineOfText.isFit(text): answers[question] = .some(.text(text))
      case .number(let number): answers[question] = .some(.number(number))
      case .null: answers[question] = .some(nil)
      default: return nil
      }
    }
  }
}
