internal import Storage
internal import Upload
internal import Values

extension PublishedPlace {
  /// Creates a publisher for a recording's position. Returns `nil` if the plan publishes no
  /// position. If publishing is impossible, logs the reason and returns `nil`, and the recording
  /// starts anyway.
  convenience init?(of run: RecordingRun, _ plan: DaemonPlan, _ reporter: DaemonReporter) {
    guard let name = plan.liveLocation else { return nil }
    func report(_ reason: String, _ remedy: String) {
      reporter.log(
        LogEvent(.warning, "place not published", ["reason": reason, "remedy": remedy]))
    }
    do {
      guard let settings = try DestinationSettings.stored(name, in: plan.store) else {
        report("there is no destination '\(name)'", StoredDestination.addition(of: name))
        return nil
      }
      try self.init(of: run, to: settings, agent: reporter.agent, log: reporter.log)
    } catch {
      let (text, remedy) = reporter.explain(error)
      report(text, remedy)
      return nil
    }
  }
}
