internal import FleetStore
internal import Recording
internal import Storage
internal import Values

/// The list of a fleet's sessions, as `footbridge sessions --fleet --json` prints it, with the name
/// that each gateway has in the fleet.
enum FleetSessions {
  /// The newest sessions, of which the last one began last.
  static func json(_ newest: Int, in intake: DatabaseIntake) throws(StoreError) -> JSONValue {
    let reader = intake.intake(of: .reader)
    let names = try intake.gatewayNames()
    let held = try reader.sessions(newest: newest)
      .sorted { ($0.start?.nanoseconds ?? .max) < ($1.start?.nanoseconds ?? .max) }
    var lines: [JSONValue] = []
    for session in held {
      let name = session.gateway.flatMap { names[$0] }
      lines.append(try line(session, in: intake).with("gatewayName", name))
    }
    return .array(lines)
  }

  private static func line(
    _ session: HeldSession, in intake: DatabaseIntake
  ) throws(StoreError) -> JSONValue {
    let owner = intake.intake(of: session.gateway.map { .gateway($0) } ?? .reader)
    func unread(_ reason: String) -> JSONValue {
      SessionLine.json(arriving: session.id, because: reason)
        .with("gatewayID", session.gateway.map { "\($0)" })
    }
    let record: SessionRecord
    do throws(StoreError) {
      guard let found = try owner.record(of: session.id) else { return unread("being sent") }
      record = found
    } catch {
      // One that cannot be read hides no other.
      guard error.kind == .damaged else { throw error }
      return unread("its record is damaged")
    }
    let listed = record.streams.reduce(0) { $0 + $1.chunks.count }
    return SessionLine(
      outline: SessionOutline(of: record), isBeingRecorded: false, gateway: session.gateway,
      missingChunks: max(0, listed - session.chunks)
    ).json
  }
}

extension JSONValue {
  /// The object with one more member, if that has a text.
  func with(_ name: String, _ text: String?) -> JSONValue {
    guard case .object(let members) = self, let text else { return self }
    return .object(members + [.init(name, .string(text))])
  }

  /// The object with one more member, if that is not zero.
  func with(_ name: String, _ count: Int) -> JSONValue {
    guard case .object(let members) = self, count > 0 else { return self }
    return .object(members + [.init(name, .integer(Int64(count)))])
  }
}
