internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// `footbridge annotate`: adds a remark to a session, or corrects one.
struct AnnotateCommand: ErrandVerb {
  /// The session argument, as typed by the user.
  var session = ""
  var text = ""
  /// The remark's time; `nil` for now, or for the end of a finished session.
  var moment: Moment?
  /// The current text of the remark to correct; `nil` to add a new remark.
  var former: String?
  var reportsJSON = false
  var store: StoreLocation

  static let options: [Option<AnnotateCommand>] = [
    .option(
      "at", .moment,
      help: "the time of the remark: seconds since the start, as in 80 or 1:20, or a time such as "
        + "2026-05-04T09:30:00Z (default: now, or the end of a finished session)", sets: \.moment),
    .option(
      "instead-of", .filledText("OLD"),
      help: "correct the annotation that has this text; an empty TEXT removes it", sets: \.former),
    .flag("json", help: "print the annotation as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<AnnotateCommand>(
    name: "annotate", summary: "add a remark to a session, or correct one",
    discussion: """
      Adds a remark about a moment in a session, even while the session is being recorded. With \
      --instead-of OLD, TEXT replaces the text OLD of an existing remark, and the time stays the \
      same; if several remarks have the text OLD, --at selects one. The old text is kept in the \
      session's events.

      Example: footbridge annotate last 'stopped at the traffic light' --at 1:35

      Example: footbridge annotate last 'a gate' --instead-of 'a gat'
      """,
    initial: { AnnotateCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [.required(.session, sets: \.session), .required(.text("TEXT"), sets: \.text)])

  func perform(_ console: Console) throws -> String {
    let directory = try store.sessions(like: self.session, console)
    let session = try directory.session(self.session)
    let moment = try moment.map { try store.instant($0, in: session, of: directory) }
    guard let former else {
      guard !text.isEmpty else {
        throw Complaint.usage(
          "'TEXT' cannot be empty", remedy: "write the remark",
          command: "\(Version.program) \(Self.definition.name)")
      }
      let annotation = Annotation(time: try moment ?? store.noteTime(in: session), text: text)
      try StoreEditor(path: store.path()).annotate(annotation, session: session.id)
      return text(of: annotation, "Noted", session, directory)
    }
    let corrected = try find(former, at: moment, in: session)
    let state = try StoreEditor(path: store.path()).correct(
      corrected, to: text, session: session.id, at: store.noteTime(in: session),
      utc: BootClock.systemTime())
    // Another command has already corrected this annotation.
    guard state == .stored else { throw noSuch(former) }
    return text(
      of: Annotation(time: corrected.time, text: text), text.isEmpty ? "Removed" : "Corrected",
      session, directory)
  }

  /// Returns the annotation with this text. If several annotations have this text, `moment` must
  /// select one of them.
  private func find(
    _ text: String, at moment: BootTime?, in session: Session
  ) throws -> Annotation {
    let withText = try StoreReader(path: store.path()).annotations(of: session.id)
      .filter { $0.text == text }
    guard let moment else {
      guard let first = withText.first else { throw noSuch(text) }
      guard withText.count == 1 else {
        let times = withText.map { SessionText.time($0.time, in: session) }
        throw Complaint(
          "\(withText.count) annotations have this text, at \(times.joined(separator: ", "))",
          remedy: "select one of them by its time with --at")
      }
      return first
    }
    // Users type times in whole seconds, so the nearest annotation within one second matches.
    let nearest = withText.min {
      abs($0.time.seconds(since: moment)) < abs($1.time.seconds(since: moment))
    }
    guard let nearest, abs(nearest.time.seconds(since: moment)) < 1 else { throw noSuch(text) }
    return nearest
  }

  private func noSuch(_ text: String) -> Complaint {
    Complaint(
      "cannot find the annotation '\(TerminalText.harmless(text))' in the session",
      remedy: "'footbridge show \(ShellText.quoted(session))' lists the annotations")
  }

  private func text(
    of annotation: Annotation, _ verb: String, _ session: Session, _ directory: SessionDirectory
  ) -> String {
    reportsJSON
      ? SessionReport.json(annotation, in: session).text
      : "\(verb) at \(SessionText.time(annotation.time, in: session)) of session "
        + directory.shortID(of: session) + "."
  }
}
