internal import Recording
internal import Storage
internal import Values

/// Body of `footbridge annotate`: notes a remark on an instant of a session.
enum AnnotateRun {
  static let body: Commands.Body<AnnotateConfiguration> = { configuration, console in
    let directory = try configuration.store.sessions(console)
    let session = try directory.session(configuration.session)
    let time =
      try configuration.moment.map {
        try configuration.store.instant($0, in: session, of: directory)
      } ?? configuration.store.noteTime(in: session)
    let annotation = Annotation(time: time, text: configuration.text)
    try StoreEditor(path: configuration.store.path()).annotate(annotation, session: session.id)
    try console.print(
      configuration.reportsJSON
        ? SessionReport.json(annotation, in: session).text
        : "Noted at \(SessionText.time(time, in: session)) of session "
          + directory.shortID(of: session) + ".")
    return .ok
  }
}
