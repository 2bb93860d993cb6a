internal import Recording
internal import Storage

/// Body of `footbridge annotate`: notes a remark on an instant of a session.
enum AnnotateRun {
  static let body: Commands.Body<AnnotateConfiguration> = { configuration, console in
    let directory = try configuration.store.sessions()
    let session = try directory.session(configuration.session)
    let latest = try configuration.store.noteTime(in: session)
    var time = latest
    if let moment = configuration.moment {
      let clock = try StoreReader(path: configuration.store.path()).clock(of: session.id)
      guard let instant = moment.time(in: session, clock) else {
        throw Complaint(
          "the session has no universal time", remedy: "give --at in seconds since its start")
      }
      time = try SessionSpan(
        session: session, latest: latest, name: directory.shortID(of: session)
      ).instant(instant, of: "--at")
    }
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
