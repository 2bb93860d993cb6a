internal import Recording
internal import Values

/// A task of a study: an activity during a session, or a survey after it.
struct StudyTask: Hashable, Sendable {
  enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A task that is begun and ended, possibly with a time limit.
    case timed
    /// Questions that are asked after the session.
    case survey
  }

  /// The identifier, as recorded in session events.
  var id: String
  var name: String
  var kind: Kind
  /// The instructions for the participant. May have several lines.
  var instructions = ""
  /// The time limit; `nil` if there is none.
  var seconds: Double?
  /// The intended number of repetitions.
  var repetitions = 1
  var difficulty: String?
  var questions: [SurveyQuestion] = []

  init(id: String, name: String, kind: Kind) {
    self.id = id
    self.name = name
    self.kind = kind
  }

  /// The maximum time limit in seconds.
  static let longest = 86_400
  static let mostRepetitions = 100
  /// The maximum number of characters in the name of a task, a study or a block.
  static let longestName = 100
  /// The maximum number of characters in the instructions, which people read on a phone.
  static let longestInstructions = 4_000

  var json: JSONValue {
    .object([
      .init("id", id), .init("name", name), .init("type", kind.rawValue),
      .init("instructions", instructions), .init("seconds", seconds),
      .init("repeat", repetitions), .init("difficulty", difficulty),
      .init("questions", .array(questions.map(\.json))),
    ])
  }
}

/// A study: blocks of tasks in their intended order.
struct Study: Hashable, Sendable {
  struct Block: Hashable, Sendable {
    var id: String
    var name: String
    /// The ids of the tasks.
    var tasks: [String] = []

    init(id: String, name: String) {
      self.id = id
      self.name = name
    }
  }

  var id: String
  var name: String
  var blocks: [Block] = []

  init(id: String, name: String) {
    self.id = id
    self.name = name
  }

  var json: JSONValue {
    .object([
      .init("id", id), .init("name", name),
      .init(
        "blocks",
        .array(
          blocks.map { block in
            .object([
              .init("id", block.id), .init("name", block.name), .init("tasks", block.tasks),
            ])
          })),
    ])
  }
}
