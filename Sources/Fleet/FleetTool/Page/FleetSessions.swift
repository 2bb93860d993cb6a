internal import CommandLineTool
internal import Fleet
internal import Recording
internal import Storage
internal import Values

/// Lists a fleet's sessions in the format of `footbridge sessions --fleet --json`, with each
/// gateway's name.
enum FleetSessions {
  /// Returns the newest sessions, sorted by start. Sessions with an unknown start are last.
  static func json(_ newest: Int, in intake: DatabaseIntake) throws(StoreError) -> JSONValue {
    let names = try intake.gatewayNames()
    let listed = try intake.listedSessions(newest: newest)
      .sorted { ($0.start?.nanoseconds ?? .max) < ($1.start?.nanoseconds ?? .max) }
    var lines: [JSONValue] = []
    for session in listed {
      let name = session.gateway.flatMap { names[$0] }
      lines.append(try line(session, in: intake).with("gatewayName", name))
    }
    return .array(lines)
  }

  private static func line(
    _ held: HeldSession, in intake: DatabaseIntake
  ) throws(StoreError) -> JSONValue {
    func unread(_ reason: String) -> JSONValue {
      SessionLine.json(arriving: held.id, because: reason)
        .with("gatewayID", held.gateway.map { "\($0)" })
    }
    guard held.hasRecord else { return unread("being sent") }
    var summary = held.summary
    if summary == nil {
      do throws(StoreError) {
        let owner = try intake.reading(of: held.gateway.map { .gateway($0) } ?? .reader)
        guard let record = try owner.record(of: held.id) else { return unread("being sent") }
        summary = RecordSummary(of: record)
      } catch {
        // An unreadable session must not hide the others.
        guard error.kind == .damaged else { throw error }
      }
    }
    guard let summary else { return unread("its record is damaged") }
    return SessionLine(summary, of: held).json
  }
}
