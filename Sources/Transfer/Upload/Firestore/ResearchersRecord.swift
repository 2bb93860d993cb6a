internal import Recording
internal import Values

/// Creates the researchers' record for one board of a session.
struct ResearchersRecord {
  let board: BoardAddress
  let record: SessionRecord
  let layout: FirestoreLayout
  /// The session's start and end.
  let start: UTCTime
  let end: UTCTime
  /// The track's first and last fix; `nil` if it has no fixes.
  let firstFix: Fix?
  let lastFix: Fix?

  /// Returns the boards that need a record, including boards that are known only from their stored
  /// streams.
  static func boards(of record: SessionRecord) -> [BoardAddress] {
    Set(record.boards.map(\.address) + record.streams.map(\.board)).sorted()
  }

  /// Returns the record as a document. The field `other_chunks` is omitted if it would make the
  /// document too large.
  func document(_ path: [String]) -> FirestoreDocument {
    let streams = record.streams.filter { $0.board == board }
    let gyroscope = streams.filter(\.description.isGyroscope).flatMap(\.chunks)
    let others = streams.filter { !$0.description.isGyroscope }.flatMap(\.chunks)
    var document = FirestoreDocument(
      path: path,
      fields: [
        FirestoreField("user_id", .string(layout.user)),
        FirestoreField("timestamp", .double(Self.seconds(submission ?? end))),
        FirestoreField("hazards", .map(Self.hazards(record.hazards))),
        FirestoreField("gscope_data", .array(gyroscope.map(Self.id))),
        FirestoreField("start_time", .double(Self.seconds(start))),
        FirestoreField("image_id", .string("")),
        FirestoreField("session_id", .string(FirestoreLayout.text(record.session.id))),
        FirestoreField("sensor_id", .string(board.description)),
        FirestoreField("point_count", .integer(gyroscope.reduce(0) { $0 + Int64($1.sampleCount) })),
        FirestoreField("other_chunk_count", .integer(Int64(others.count))),
      ])
    document.fields += Self.participant(record.session) + Self.reports(record.events)
    if let firstFix { document.fields.append(FirestoreField("start_loc", Self.place(firstFix))) }
    if let lastFix { document.fields.append(FirestoreField("last_loc", Self.place(lastFix))) }
    let whole = FirestoreDocument(
      path: path,
      fields: document.fields + [FirestoreField("other_chunks", .array(others.map(Self.id)))])
    return whole.obstacle == nil ? whole : document
  }

  /// The time of the last report; `nil` if no report has a known time.
  var submission: UTCTime? { WalkReport.all(in: record.events).compactMap(\.utc).max() }

  private static func id(_ chunk: SessionRecord.ChunkEntry) -> FirestoreValue {
    .string(FirestoreLayout.text(chunk.id))
  }

  /// Returns the names of all standard hazards and all reported hazards, each with its highest
  /// reported intensity.
  static func hazards(_ hazards: [Hazard]) -> [FirestoreField] {
    var worst: [String: Int] = [:]
    for name in Hazard.usualNames { worst[name] = 0 }
    for hazard in hazards { worst[hazard.name] = max(worst[hazard.name] ?? 0, hazard.intensity) }
    return worst.sorted { $0.key < $1.key }
      .map { FirestoreField($0.key, .integer(Int64($0.value))) }
  }

  /// Returns the field that describes the session's participant, or an empty list if no participant
  /// was chosen.
  static func participant(_ session: Session) -> [FirestoreField] {
    guard case .object(let members)? = session.participant?.json else { return [] }
    let fields = members.map { member in
      let value: FirestoreValue =
        switch member.value {
        case .string(let text): .string(text)
        case .number(let number): .double(number)
        default: .string(member.value.text)
        }
      return FirestoreField(member.name, value)
    }
    return [FirestoreField("participant", .map(fields))]
  }

  /// Returns the field that contains the reports about the session, or an empty list if there are
  /// no reports. A question that was asked but not answered has the value null. A question that was
  /// not asked is omitted.
  static func reports(_ events: [SessionEvent]) -> [FirestoreField] {
    let reports = WalkReport.all(in: events)
    guard !reports.isEmpty else { return [] }
    let values = reports.map { report in
      let answers = report.answers.sorted { $0.key < $1.key }.map { question, answer in
        let value: FirestoreValue =
          switch answer {
          case .text(let text): .string(text)
          case .number(let number): .double(number)
          case nil: .null
          }
        return FirestoreField(question, value)
      }
      return FirestoreValue.map([
        FirestoreField("hazards", .string(report.hazards.rawValue)),
        FirestoreField("answers", .map(answers)),
        FirestoreField("submitted", report.utc.map { .double(seconds($0)) } ?? .null),
      ])
    }
    return [FirestoreField("reports", .array(values))]
  }

  /// Converts a time to seconds since 1970, to the microsecond.
  static func seconds(_ time: UTCTime) -> Double {
    let (quotient, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000)
    return Double(rest < 0 ? quotient - 1 : quotient) / 1e6
  }

  private static func place(_ fix: Fix) -> FirestoreValue {
    var fields = [
      FirestoreField("latitude", .double(fix.latitude)),
      FirestoreField("longitude", .double(fix.longitude)),
    ]
    if let altitude = fix.altitudeMSL {
      fields.append(FirestoreField("altitude", .double(altitude)))
    }
    return .map(fields)
  }
}

extension FirestoreValue {
  /// The value, with the members of all maps sorted by name, so that it can be compared with
  /// another.
  var ordered: FirestoreValue {
    switch self {
    case .map(let fields):
      .map(fields.map { FirestoreField($0.name, $0.value.ordered) }.sorted { $0.name < $1.name })
    case .array(let values): .array(values.map(\.ordered))
    default: self
    }
  }
}
