public import Recording
public import Values

/// The list of sessions that an upload server sends.
public struct SessionList: Sendable {
  public var sessions: [HeldSession]
  /// Whether there may be older sessions that the list does not contain.
  public var hasMore: Bool

  /// Maximum total size in bytes of the summaries in a list. Readers need four times this amount of
  /// memory. Only thousands of sessions with long notes would reach the limit.
  private static let mostSummaries = 8 << 20

  public init(_ sessions: [HeldSession], hasMore: Bool) {
    self.sessions = sessions
    self.hasMore = hasMore
  }

  public func encoded(withSummaries hasSummaries: Bool) -> [UInt8] {
    let summarised = hasSummaries ? summarised : []
    return JSONWriter.object { json in
      json.add("sessions", objects: Array(sessions.enumerated())) { session, json in
        session.element.write(to: &json, withSummary: summarised.contains(session.offset))
      }
      if hasMore { json.add("more", bool: true) }
    }
  }

  /// The indices of the sessions whose summary is included in the list. These are the sessions with
  /// the shortest summaries, so only the summaries of a gateway with many long notes are omitted.
  private var summarised: Set<Int> {
    let sizes = sessions.enumerated().compactMap { index, held in
      held.summary.map { (index: index, size: $0.textSize) }
    }
    var rest = Self.mostSummaries
    return Set(
      sizes.sorted { $0.size < $1.size }.prefix { summary in
        rest -= summary.size
        return rest >= 0
      }.map(\.index))
  }

  /// Reads a list from JSON text. Only a session's id is required, since other servers omit the
  /// remaining fields.
  public init(decoding bytes: [UInt8]) throws(JSONError) {
    let fields = try JSONFields(parsing: bytes)
    var sessions: [HeldSession] = []
    try fields.objects("sessions") { (item) throws(JSONError) in
      sessions.append(try HeldSession(item))
    }
    self.init(sessions, hasMore: (try? fields.bool("more")) ?? false)
  }
}

extension HeldSession {
  fileprivate func write(to json: inout JSONWriter, withSummary hasSummary: Bool) {
    json.add("id", id: id)
    json.add("chunks", count: chunks)
    json.add("fixes", count: fixes)
    json.add("record", bool: hasRecord)
    json.add("start", text: start?.iso8601())
    if let gateway { json.add("gateway", id: gateway) }
    if hasSummary, let summary { json.add("summary", object: summary.write) }
  }

  fileprivate init(_ fields: JSONFields) throws(JSONError) {
    let id = try fields.id("id")
    self.init(
      id: id, chunks: (try? fields.count("chunks")) ?? 0, fixes: (try? fields.count("fixes")) ?? 0,
      hasRecord: (try? fields.bool("record")) ?? false,
      start: (try? fields.text("start")).flatMap { UTCTime(iso8601: $0) },
      gateway: try? fields.id("gateway"))
    // An unreadable summary is ignored, since the record contains the same data.
    summary = (try? fields.object("summary")).flatMap { try? RecordSummary($0) }
    if summary?.outline.session.id != id { summary = nil }
  }
}

extension RecordSummary {
  /// Approximate size of the summary in bytes.
  fileprivate var textSize: Int {
    let session = outline.session
    return 1_000 + session.note.utf8.count + session.gateway.utf8.count + session.wearer.utf8.count
      + (session.participant?.json.bytes.count ?? 0) + 100 * (outline.statistics?.steps.count ?? 0)
  }

  fileprivate func write(to json: inout JSONWriter) {
    json.add("boards", count: boards)
    json.add("samples", count: samples)
    json.add("lost", long: lost)
    json.add("chunks", count: listed)
    json.add("lastNs", boot: end)
    json.add("outline", object: outline.write)
  }

  fileprivate init(_ fields: JSONFields) throws(JSONError) {
    self.init(
      of: try SessionRecord(try fields.object("outline")), boards: try fields.count("boards"),
      samples: try fields.count("samples"),
      lost: try fields.required("lost", "a count as a string", JSONFields.long),
      listed: try fields.count("chunks"), end: try fields.boot("lastNs"))
  }
}
