internal import Gateway
internal import Values

/// Body of `footbridge show`: all that is stored of a session, but for its samples.
enum ShowRun {
  static let body: Commands.Body<ShowConfiguration> = { configuration, console in
    let session = try configuration.store.sessions(console).session(configuration.session)
    let summary = try SessionSummary(
      of: session, in: configuration.store.path(), readingAll: configuration.listsChunks)
    let report = SessionReport(summary: summary, listsChunks: configuration.listsChunks)
    try console.print(
      configuration.reportsJSON ? report.json.text : report.lines.joined(separator: "\n"))
    return .ok
  }
}
