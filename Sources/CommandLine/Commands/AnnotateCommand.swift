internal import Recording
internal import Storage
internal import Values

/// `footbridge annotate`: notes a remark on an instant of a session.
struct AnnotateCommand: Verb {
  /// The session, as it was written.
  var session = ""
  /// The remark.
  var text = ""
  /// The instant that it speaks of; `nil` for now, or the session's end.
  var moment: Moment?
  /// Whether the annotation is told as JSON instead of text.
  var reportsJSON = false
  /// Where the session is.
  var store: StoreLocation

  /// Its options, in the order of the help.
  static let options: [Option<AnnotateCommand>] = [
    .option(
      "at", .moment,
      help: "the time it refers to, in seconds since the start, as 1:20 or as "
        + "2026-05-04T09:30:00Z (default: now, or the end if it is over)", sets: \.moment),
    .flag("json", help: "print the annotation as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<AnnotateCommand>(
    name: "annotate", summary: "add a remark to a session",
    discussion: """
      Adds a remark to one moment of a session, even while it is being recorded.

      Example: footbridge annotate last 'stopped at the traffic light' --at 1:35
      """,
    initial: { AnnotateCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [.required(.session, sets: \.session), .required(.filledText("TEXT"), sets: \.text)])

  func run(_ console: Console) async throws -> ExitStatus {
    let directory = try store.sessions(console)
    let session = try directory.session(self.session)
    let time =
      try moment.map {
        try store.instant($0, in: session, of: directory)
      } ?? store.noteTime(in: session)
    let annotation = Annotation(time: time, text: text)
    try StoreEditor(path: store.path()).annotate(annotation, session: session.id)
    try console.print(
      reportsJSON
        ? SessionReport.json(annotation, in: session).text
        : "Noted at \(SessionText.time(time, in: session)) of session "
          + directory.shortID(of: session) + ".")
    return .ok
  }
}
