internal import Gateway
internal import Recording
internal import Terminal
internal import Values

/// The studies in a set of definitions, with their tasks and questions.
struct StudyPlan: Hashable, Sendable {
  typealias Fault = Definitions.Fault

  /// The tasks, in the order of the set.
  private(set) var tasks: [StudyTask] = []
  /// The studies. Their blocks refer to the tasks by id.
  private(set) var studies: [Study] = []
  /// The ids of the tasks that were skipped because this version does not support their type.
  private var unknownTasks: Set<String> = []

  /// The tasks that can be begun and ended.
  var timedTasks: [StudyTask] { tasks.filter { $0.kind == .timed } }
  /// The questions that are asked after a session.
  var questions: [SurveyQuestion] { tasks.flatMap(\.questions) }

  // MARK: Members
  //
  // `takeTasks` and `takeStudies` return the members that they skip as unknown.

  mutating func takeTasks(_ list: [JSON]) throws(Fault) -> [String] {
    var skipped: [String] = []
    guard list.count <= StudyLimits.tasks else {
      throw Fault("'tasks' has more than \(StudyLimits.tasks) entries")
    }
    for (index, value) in list.enumerated() {
      let title = "tasks[\(index)]"
      let members = try Self.members(value, title)
      let id = try id(members["id"], of: title, among: tasks.map(\.id) + unknownTasks, "tasks")
      let type = try members["type"].map { value throws(Fault) in
        try Definitions.text(value, "\(title).type")
      }
      guard let kind = type.map(StudyTask.Kind.init(rawValue:)) ?? .timed else {
        unknownTasks.insert(id)
        skipped.append("\(title) (\(TerminalText.quotation(type ?? "")))")
        continue
      }
      var task = StudyTask(id: id, name: try name(of: members, title, else: id), kind: kind)
      if let words = members["instructions"] {
        task.instructions = try instructions(words, "\(title).instructions")
      }
      if let difficulty = members["difficulty"] {
        task.difficulty = try name(difficulty, "\(title).difficulty")
      }
      task.seconds = try Definitions.number(
        members["seconds"], "\(title).seconds", upTo: StudyTask.longest)
      if let count = members["repeat"] {
        guard let count = count.integer, (1...StudyTask.mostRepetitions).contains(Int(count)) else {
          throw Fault(
            "'\(title).repeat' must be a whole number from 1 to \(StudyTask.mostRepetitions)")
        }
        task.repetitions = Int(count)
      }
      if kind == .survey, let questions = members["questions"] {
        skipped += try takeQuestions(
          Definitions.list(questions, "\(title).questions"), of: &task, "\(title).questions")
      }
      skipped += Definitions.others(
        members, of: title,
        knowing: Set(["id", "name", "type", "instructions", "difficulty", "seconds", "repeat"])
          .union(kind == .survey ? ["questions"] : []))
      tasks.append(task)
    }
    return skipped
  }

  private func takeQuestions(
    _ list: [JSON], of task: inout StudyTask, _ path: String
  ) throws(Fault) -> [String] {
    var skipped: [String] = []
    for (index, value) in list.enumerated() {
      let title = "\(path)[\(index)]"
      let members = try Self.members(value, title)
      let others = (questions + task.questions).map(\.id)
      guard others.count < WalkReport.mostAnswers else {
        throw Fault("'\(path)' has more than \(WalkReport.mostAnswers) questions")
      }
      let id = try id(members["id"], of: title, among: others, "questions")
      let text = try Definitions.text(members["text"] ?? .null, "\(title).text")
      guard !text.isEmpty, LineOfText.isFit(text, upTo: SurveyQuestion.longest) else {
        throw Fault(
          "'\(title).text' must be one line of 1 to \(SurveyQuestion.longest) characters")
      }
      guard let kind = try questionKind(members, title) else {
        skipped.append("\(title) (\(TerminalText.quotation(members["type"]?.text ?? "")))")
        continue
      }
      var question = SurveyQuestion(id: id, text: text, kind: kind)
      question.isOptional = members["optional"] == .bool(true)
      skipped += Definitions.others(
        members, of: title, knowing: ["id", "text", "type", "choices", "from", "to", "optional"])
      task.questions.append(question)
    }
    return skipped
  }

  /// Converts a number to an end of a scale. Returns `nil` unless it is a whole number from −1,000
  /// to 1,000.
  private static func step(_ number: Double) -> Int? {
    Int(exactly: number).flatMap { (-1_000...1_000).contains($0) ? $0 : nil }
  }

  /// Returns a question's kind; `nil` if this version does not support its type.
  private func questionKind(
    _ members: [String: JSON], _ title: String
  ) throws(Fault) -> SurveyQuestion.Kind? {
    let (from, to) = (members["from"]?.number, members["to"]?.number)
    switch members["type"]?.text {
    case "text": return .text
    case "choice":
      var choices: [String] = []
      for (index, value) in try Definitions.list(
        members["choices"] ?? .list([]), "\(title).choices"
      )
      .enumerated() {
        choices.append(try name(value, "\(title).choices[\(index)]"))
      }
      guard (2...SurveyQuestion.mostChoices).contains(choices.count),
        Set(choices.map { $0.lowercased() }).count == choices.count, !choices.contains("")
      else {
        throw Fault(
          "'\(title).choices' must be a list of 2 to \(SurveyQuestion.mostChoices) different texts")
      }
      return .choice(choices)
    case "scale":
      guard let from = from.flatMap(Self.step),
        let to = to.flatMap(Self.step),
        from < to, to - from < SurveyQuestion.mostChoices
      else {
        throw Fault(
          "'\(title)' requires whole numbers 'from' and 'to'; 'to' must exceed 'from' by 1 to "
            + "\(SurveyQuestion.mostChoices - 1)")
      }
      return .scale(from...to)
    case "number":
      let (low, high) = (
        from ?? SurveyQuestion.numbers.lowerBound, to ?? SurveyQuestion.numbers.upperBound
      )
      guard low < high else { throw Fault("'\(title).from' must be less than '\(title).to'") }
      return .number(low...high)
    default: return nil
    }
  }

  mutating func takeStudies(_ list: [JSON]) throws(Fault) -> [String] {
    var skipped: [String] = []
    guard list.count <= StudyLimits.studies else {
      throw Fault("'studies' has more than \(StudyLimits.studies) entries")
    }
    for (index, value) in list.enumerated() {
      let title = "studies[\(index)]"
      let members = try Self.members(value, title)
      let id = try id(members["id"], of: title, among: studies.map(\.id), "studies")
      var study = Study(id: id, name: try name(of: members, title, else: id))
      let blocks = try Definitions.list(members["blocks"] ?? .list([]), "\(title).blocks")
      guard blocks.count <= StudyLimits.blocks else {
        throw Fault("'\(title).blocks' has more than \(StudyLimits.blocks) entries")
      }
      for (index, value) in blocks.enumerated() {
        let title = "\(title).blocks[\(index)]"
        let members = try Self.members(value, title)
        let id = try self.id(members["id"], of: title, among: study.blocks.map(\.id), "blocks")
        var block = Study.Block(id: id, name: try name(of: members, title, else: id))
        let references = try Definitions.list(members["tasks"] ?? .list([]), "\(title).tasks")
        guard references.count <= StudyLimits.tasks else {
          throw Fault("'\(title).tasks' has more than \(StudyLimits.tasks) entries")
        }
        for (index, value) in references.enumerated() {
          guard let id = value.text, TaskLog.isID(id) else {
            throw Fault("'\(title).tasks[\(index)]' is not the id of a task")
          }
          block.tasks.append(id)
        }
        skipped += Definitions.others(members, of: title, knowing: ["id", "name", "tasks"])
        study.blocks.append(block)
      }
      skipped += Definitions.others(members, of: title, knowing: ["id", "name", "blocks"])
      studies.append(study)
    }
    return skipped
  }

  /// Checks that all tasks in the blocks exist. Removes skipped tasks of an unknown type.
  mutating func checkBlocks() throws(Fault) {
    let known = Set(tasks.map(\.id))
    for study in studies.indices {
      for block in studies[study].blocks.indices {
        let listed = studies[study].blocks[block].tasks
        if let missing = listed.first(where: { !known.contains($0) && !unknownTasks.contains($0) })
        {
          throw Fault(
            "block '\(studies[study].blocks[block].id)' of study '\(studies[study].id)' refers to "
              + "task '\(missing)', which 'tasks' does not contain")
        }
        studies[study].blocks[block].tasks = listed.filter(known.contains)
      }
    }
  }

  /// Throws if the id is invalid, or if another element of its list has the same id, ignoring case.
  private func id(
    _ value: JSON?, of title: String, among others: [String], _ list: String
  ) throws(Fault) -> String {
    guard let id = value?.text, TaskLog.isID(id) else {
      throw Fault("'\(title).id' is missing or invalid: an id \(TaskLog.rule)")
    }
    guard !others.contains(where: { $0.lowercased() == id.lowercased() }) else {
      throw Fault("two '\(list)' have the id '\(id)'")
    }
    return id
  }

  /// Returns the name in a map; `id` if the map contains no name.
  private func name(
    of members: [String: JSON], _ title: String, else id: String
  ) throws(Fault) -> String {
    guard let value = members["name"], value != .null else { return id }
    let name = try name(value, "\(title).name")
    return name.isEmpty ? id : name
  }

  private func name(_ value: JSON, _ path: String) throws(Fault) -> String {
    let name = try Definitions.text(value, path)
    guard LineOfText.isFit(name, upTo: StudyTask.longestName) else {
      throw Fault("'\(path)' must be one line of at most \(StudyTask.longestName) characters")
    }
    return name
  }

  private func instructions(_ value: JSON, _ path: String) throws(Fault) -> String {
    guard let text = value.text, text.count <= StudyTask.longestInstructions else {
      throw Fault(
        "'\(path)' must be text of at most \(StudyTask.longestInstructions) characters")
    }
    // A control character could change a terminal's output.
    return PlainText.cleaned(text, mayHaveLines: true)
  }

  /// Returns a map's members. Null members count as missing.
  private static func members(_ value: JSON, _ title: String) throws(Fault) -> [String: JSON] {
    guard case .object(let members) = value else { throw Fault("'\(title)' is not a map") }
    return members.filter { $0.value != .null }
  }
}
