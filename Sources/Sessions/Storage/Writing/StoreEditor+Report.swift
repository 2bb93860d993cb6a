public import Recording
public import Values

extension StoreEditor {
  /// Stores a report about a session as an event at `time`. A report with an `id` is stored only
  /// once, however often it is sent.
  @discardableResult
  public func submit(
    _ report: WalkReport, session: UniqueID, id: UniqueID? = nil, at time: BootTime
  ) throws(StoreError) -> ReportState {
    let event = report.event(at: time)
    return try once(
      id, "survey \(session) \(event.text)", doing: "store a report in", session
    ) { () throws(StoreError) in
      try database.insert([event], session: session)
      return true
    }
  }
}
