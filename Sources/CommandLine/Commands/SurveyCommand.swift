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
  /// The answers, each with its question's id.
  var answers: [NamedText] = []
  var reportsJSON = false
  var store: StoreLocation

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
      each question that the options do not answer, and stores each hazard immediately. \
      Otherwise, such a question is stored as not answered. At the end of a recording on a \
      terminal, 'record' asks the same questions.

      A session may have several reports, for example from several people. 'show' lists them.

      Example: footbridge survey last

      Example, if the definitions contain a question 'mood':
        footbridge survey last --no-hazard --answer mood=good
      """,
    initial: { SurveyCommand(store: StoreLocation(environment: $0)) },
    options: options, operands: [.required(.session, sets: \.session)])

  func run(_ console: Console) async throws -> ExitStatus {
    let directory = try store.sessions(like: self.session, console)
    let session = try directory.session(self.session)
    let survey = try Survey(store: store.path(), console)
    let noted = try noted(in: session)
    if isWithoutHazard, let hazard = noted.first {
      throw Complaint(
        "hazard '\(TerminalText.quotation(hazard.name))' was noted in this session",
        remedy: "leave '--no-hazard' out, or set the hazard's intensity to 0", status: .usage)
    }
    var (report, hazards) = try survey.report(
      isWithoutHazard: isWithoutHazard, hazards: self.hazards, answers: answers)
    let isSilent = !isWithoutHazard && hazards.isEmpty && answers.isEmpty
    if StandardInput.isAnswered {
      try survey.ask(questioner(console), &report, noted: noted) { hazard in
        try note([hazard], in: session, console)
      }
    } else if isSilent {
      throw Complaint.usage(
        "the report is empty", remedy: "give --hazard, --no-hazard or --answer",
        command: "\(Version.program) \(Self.definition.name)")
    }
    try note(hazards, in: session, console)
    try submit(report, about: session, console)
    let reports = try WalkReport.all(in: StoreReader(path: store.path()).events(of: session.id))
    try console.print(
      reportsJSON
        ? JSONValue.array(reports.map(ReportText.json)).text
        : "Submitted the report about session \(directory.shortID(of: session)).")
    return .ok
  }

  /// Asks about a session that has just been recorded. Returns whether a report was submitted;
  /// false means that the user postponed it.
  func askAfterRecording(_ console: Console) throws -> Bool {
    let recorded = try store.sessions(like: self.session, console).session(self.session)
    let survey = try Survey(store: store.path(), console)
    console.say(
      console.complete(
        "Submit a report now, or later with '\(Version.program) survey \(session)'."))
    let questioner = questioner(console)
    var (report, _) = try survey.report(isWithoutHazard: false, hazards: [], answers: [])
    do {
      let isAnswered = try survey.ask(
        questioner, &report, noted: noted(in: recorded), canWait: true
      ) { hazard in try note([hazard], in: recorded, console) }
      guard isAnswered else { return false }
    } catch let error as Complaint where error == questioner.ended {
      return false
    }
    try submit(report, about: recorded, console)
    console.say("Report submitted.")
    return true
  }

  /// Returns the session's hazards with an intensity above 0.
  private func noted(in session: Session) throws -> [Hazard] {
    try StoreReader(path: store.path()).hazards(of: session.id).filter { $0.intensity > 0 }
  }

  /// Writes to the store. If another program is using the store, retries only if the user has typed
  /// answers, which would otherwise be lost.
  private func patiently(_ console: Console, _ write: () throws -> Void) throws {
    var isTold = false
    while true {
      do {
        return try write()
      } catch let error as StoreError where error.kind == .busy && StandardInput.isAnswered {
        if !isTold { console.say("Waiting for another program that uses the store.") }
        isTold = true
      }
    }
  }

  private func questioner(_ console: Console) -> Questioner {
    var questioner = Questioner(console)
    questioner.ended = Complaint(
      "the input ended before the last answer, and the report was not submitted",
      remedy: "repeat the command, and answer all questions")
    return questioner
  }

  private func note(
    _ hazards: [HazardRequest], in session: Session, _ console: Console
  ) throws {
    // After the walk, the user is no longer at the hazard. So a hazard that is already in the
    // session keeps its time and position.
    try patiently(console) {
      try HazardReport.note(
        hazards.map { ($0.name, $0.intensity) }, in: session.id, at: store.noteTime(in: session),
        keepsTime: session.end != nil, store.path())
    }
  }

  /// Stores a report with the current time.
  private func submit(
    _ report: WalkReport, about session: Session, _ console: Console
  ) throws {
    var report = report
    report.utc = BootClock.systemTime()
    try patiently(console) {
      try StoreEditor(path: store.path()).submit(
        report, session: session.id, at: store.noteTime(in: session))
    }
  }
}

/// The questions to ask after a session. Creates a report from options, or from answers typed at a
/// terminal.
struct Survey {
  let questions: [SurveyQuestion]
  /// The hazard names from the definitions.
  let hazardNames: [String]

  /// Reads the questions and hazard names from the definitions in a store.
  init(store path: String, _ console: Console) {
    let definitions = PulledDefinitions.read(store: path, console)?.definitions
    self.init(
      questions: definitions?.plan.questions ?? [], hazardNames: definitions?.hazards ?? [])
  }

  init(questions: [SurveyQuestion], hazardNames: [String]) {
    self.questions = questions
    self.hazardNames = hazardNames
  }

  /// Returns the report described by the options, together with its hazards.
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
          "the definitions contain no question '\(TerminalText.quotation(answer.name))'",
          remedy: questions.isEmpty
            ? "leave '--answer' out"
            : "the questions are \(questions.map(\.id).joined(separator: ", "))", status: .usage)
      }
      guard let value = question.answer(answer.text) else {
        throw Complaint(
          "'\(TerminalText.quotation(answer.text))' is not a valid answer to '\(question.id)'",
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

  /// Asks the user for everything that is missing from the report. `note` stores each hazard as
  /// soon as it is typed, so typed hazards are kept even if the process is killed at a later
  /// question.
  ///
  /// `noted` contains the hazards already in the session. If there are any, the answer "none" is
  /// rejected. With `canWait`, an empty first answer postpones the report, and the result is false.
  @discardableResult
  func ask(
    _ questioner: Questioner, _ report: inout WalkReport, noted: [Hazard] = [],
    canWait: Bool = false,
    noting note: (HazardRequest) throws -> Void
  ) throws -> Bool {
    if report.hazards == .unanswered {
      guard
        let hazards = try askHazards(questioner, noted: noted, canWait: canWait, noting: note)
      else { return false }
      report.hazards = hazards
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
    return true
  }

  /// An answer to the question about hazards.
  private enum HazardAnswer {
    case hazard(HazardRequest)
    case word(String)
  }

  /// Returns the answer about hazards; `nil` if the user postpones the report.
  private func askHazards(
    _ questioner: Questioner, noted: [Hazard], canWait: Bool,
    noting note: (HazardRequest) throws -> Void
  ) throws -> WalkReport.Hazards? {
    if !noted.isEmpty {
      let list = noted.map { TerminalText.harmless("\($0.name) \($0.intensity)") }
      questioner.tell(["Noted: " + list.joined(separator: ", ")])
    }
    let (names, none, unanswered, end) = (hazardNames, "none", "not answered", "no more")
    let later = "later"
    let others = canWait ? ", '\(none)' or '\(unanswered)'" : ", or '\(none)'"
    var hazards: [HazardRequest] = []
    while true {
      let isFirst = hazards.isEmpty && noted.isEmpty
      let mayWait = canWait && hazards.isEmpty
      let words = (noted.isEmpty ? [none] : []) + [unanswered, end] + (mayWait ? [later] : [])
      let answer = try questioner.ask(
        isFirst
          ? "A hazard and its intensity\(others)"
          : "Another hazard and its intensity" + (mayWait ? ", or '\(end)'" : ""),
        standard: mayWait ? later : isFirst ? unanswered : end,
        advice: HazardRequest.advice
      ) { text throws(Complaint) -> HazardAnswer? in
        if words.contains(text.lowercased()) { return .word(text.lowercased()) }
        return try HazardRequest(text).map { request throws(Complaint) in
          .hazard(try request.completed(among: names))
        }
      }
      switch answer {
      case .hazard(let hazard):
        try note(hazard)
        hazards.append(hazard)
      case .word(later): return nil
      case .word(let word):
        guard hazards.isEmpty else { return noted.isEmpty ? Self.state(hazards) : .reported }
        if !noted.isEmpty, word == end { return .reported }
        return word == none ? WalkReport.Hazards.none : .unanswered
      }
    }
  }
}
