internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// `footbridge survey`: stores a report about a session. At a terminal, it asks for missing
/// answers.
struct SurveyCommand: StoreVerb {
  /// The session argument, as typed by the user.
  var session = ""
  /// Whether the user reported that there were no hazards.
  var isWithoutHazard = false
  var hazards: [HazardRequest] = []
  /// The answers, each with the id of its question.
  var answers: [NamedText] = []
  var reportsJSON = false
  /// The store that contains the session.
  var store: StoreLocation

  /// The options, in the order of the help text.
  static let options: [Option<SurveyCommand>] = [
    .flag(
      "no-hazard", excludes: ["hazard"], help: "report that there were no hazards",
      sets: \.isWithoutHazard, to: true),
    .option(
      "hazard", .hazard("NAME=INTENSITY"),
      help: "report a hazard at the end of the session (repeatable)", adds: \.hazards),
    .option(
      "answer", .surveyAnswer, help: "answer the question with this id (repeatable)",
      adds: \.answers),
    .flag("json", help: "print the reports of the session as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<SurveyCommand>(
    name: "survey", summary: "submit a report about a session",
    discussion: """
      Stores a report about a session: whether there were hazards, and the answers to the \
      questions in the definitions ('footbridge definitions'). At a terminal, the command asks \
      each question that the options do not answer. Otherwise, such a question is stored as not \
      answered.

      A session may have several reports, for example from several people. 'show' lists them.

      Example: footbridge survey last

      Example: footbridge survey last --no-hazard --answer mood=good
      """,
    initial: { SurveyCommand(store: StoreLocation(environment: $0)) },
    options: options, operands: [.required(.session, sets: \.session)])

  func run(_ console: Console) async throws -> ExitStatus {
    let directory = try store.sessions(like: self.session, console)
    let session = try directory.session(self.session)
    let path = try store.path()
    let definitions = PulledDefinitions.read(store: path, console)?.definitions
    let survey = Survey(
      questions: definitions?.plan.questions ?? [], hazardNames: definitions?.hazards ?? [])
    var (report, reported) = try survey.report(
      isWithoutHazard: isWithoutHazard, hazards: hazards, answers: answers)
    let isSilent = !isWithoutHazard && hazards.isEmpty && answers.isEmpty
    if StandardInput.isAnswered {
      try survey.ask(Questioner(console), &report, &reported)
    } else if isSilent {
      throw Complaint.usage(
        "the report is empty", remedy: "give --hazard, --no-hazard or --answer",
        command: "\(Version.program) \(Self.definition.name)")
    }
    try submit(report, reported, about: session)
    let reports = WalkReport.all(in: try StoreReader(path: path).events(of: session.id))
    try console.print(
      reportsJSON
        ? JSONValue.array(reports.map(ReportText.json)).text
        : "Submitted the report about session \(directory.shortID(of: session)).")
    return .ok
  }

  /// Stores a report, dated now, and its hazards.
  private func submit(
    _ report: WalkReport, _ hazards: [HazardRequest], about session: Session
  ) throws {
    let path = try store.path()
    let time = try store.noteTime(in: session)
    // After the walk, the user is no longer at the hazard. A hazard that the session already
    // contains therefore keeps its time and position.
    try HazardReport.note(
      hazards.map { ($0.name, $0.intensity) }, in: session.id, at: time,
      keepsTime: session.end != nil, path)
    var report = report
    report.utc = BootClock.systemTime()
    try StoreEditor(path: path).submit(report, session: session.id, at: time)
  }
}

/// The questions to ask after a session. Makes a report from options or from answers at a terminal.
struct Survey {
  let questions: [SurveyQuestion]
  /// The hazard names from the definitions.
  let hazardNames: [String]

  /// Returns the report that options describe, and its hazards.
  func report(
    isWithoutHazard: Bool, hazards: [HazardRequest], answers: [NamedText]
  ) throws(Complaint) -> (WalkReport, [HazardRequest]) {
    let hazards = try hazards.map { hazard throws(Complaint) in
      try hazard.completed(among: hazardNames)
    }
    var report = WalkReport(
      hazards: isWithoutHazard ? .none : hazards.isEmpty ? .unanswered : Self.state(hazards))
    for question in questions { report.answers[question.id] = .some(nil) }
    for (index, answer) in answers.enumerated() {
      guard !answers[..<index].contains(where: { $0.name == answer.name }) else {
        throw Complaint(
          "question '\(TerminalText.quotation(answer.name))' has two answers",
          remedy: "give one '--answer' for each question", status: .usage)
      }
      guard let question = questions.first(where: { $0.id == answer.name }) else {
        throw Complaint(
          "the definitions list no question '\(TerminalText.quotation(answer.name))'",
          remedy: questions.isEmpty
            ? "leave '--answer' out"
            : "the questions are \(questions.map(\.id).joined(separator: ", "))", status: .usage)
      }
      guard let value = question.answer(answer.text) else {
        throw Complaint(
          "'\(TerminalText.quotation(answer.text))' is not an answer to '\(question.id)'",
          remedy: question.advice, status: .usage)
      }
      report.answers[question.id] = .some(value)
    }
    return (report, hazards)
  }

  /// Returns the answer that these hazards imply. Intensity 0 means that a hazard was absent.
  private static func state(_ hazards: [HazardRequest]) -> WalkReport.Hazards {
    hazards.contains { $0.intensity > 0 } ? .reported : .none
  }

  /// Asks the user for everything that the report lacks.
  func ask(
    _ questioner: Questioner, _ report: inout WalkReport, _ hazards: inout [HazardRequest]
  ) throws(Complaint) {
    if report.hazards == .unanswered {
      report.hazards = try askHazards(questioner, &hazards)
    }
    for question in questions where report.answers[question.id] == .some(nil) {
      if case .choice = question.kind {
        questioner.tell(question.advice.split(separator: "\n").map(String.init))
      }
      let answer: WalkReport.Answer? = try questioner.ask(
        question.text, standard: question.isOptional ? "not answered" : nil,
        advice: question.advice
      ) { text in
        if question.isOptional, text == "not answered" { return .some(nil) }
        return question.answer(text).map { .some($0) }
      }
      report.answers.updateValue(answer, forKey: question.id)
    }
  }

  /// An answer to the question about hazards.
  private enum HazardAnswer {
    case hazard(HazardRequest)
    case word(String)
  }

  private func askHazards(
    _ questioner: Questioner, _ hazards: inout [HazardRequest]
  ) throws(Complaint) -> WalkReport.Hazards {
    let (names, none, unanswered, end) = (hazardNames, "none", "not answered", "no more")
    while true {
      let answer = try questioner.ask(
        hazards.isEmpty
          ? "A hazard and its intensity, or '\(none)'" : "Another hazard and its intensity",
        standard: hazards.isEmpty ? unanswered : end, advice: HazardRequest.advice
      ) { text throws(Complaint) -> HazardAnswer? in
        if [none, unanswered, end].contains(text.lowercased()) { return .word(text.lowercased()) }
        return try HazardRequest(text).map { request throws(Complaint) in
          .hazard(try request.completed(among: names))
        }
      }
      switch answer {
      case .hazard(let hazard): hazards.append(hazard)
      case .word(let word):
        guard hazards.isEmpty else { return Self.state(hazards) }
        return word == none ? .none : .unanswered
      }
    }
  }
}
