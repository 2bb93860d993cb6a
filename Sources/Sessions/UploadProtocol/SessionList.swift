public import Recording
public import Values

/// The list of sessions of the upload protocol.
public struct SessionList: Sendable {
  public var sessions: [HeldSession]
  /// Whether there may be older sessions.
  public var hasMore: Bool

  /// Bytes of all summaries in a list: readers need four times as much. Only thousands of sessions
  /// with long notes reach the limit.
  private static let mostSummaries = 8 << 20

  public init(_ sessions: [HeldSession], hasMore: Bool) {
    self.sessions = sessions
    self.hasMore = hasMore
  }

  /// The list as a JSON text, with the summaries or without.
  public func encoded(withSummaries hasSummaries: Bool) -> [UInt8] {
    let summarised = hasSummaries ? summarised : []
    return JSONWriter.object { json in
      json.add("sessions", objects: Array(sessions.enumerated())) { session, json in
        session.element.write(to: &json, withSummary: summarised.contains(session.offset))
      }
      if hasMore { json.add("more", bool: true) }
    }
  }

  /// The sessions with a summary in a list: the ones with the shortest summaries. A gateway with
  /// many long notes loses only its own summaries.
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

  /// Reads a list. Only the id of an item is required: other endpoints leave out the rest.
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
    // An unreadable summary is ignored: the record contains the same data.
    summary = (try? fields.object("summary")).flatMap { try? RecordSummary($0) }
    if summary?.outline.session.id != id { summary = nil }
  }
}

extension RecordSummary {
  /// Approximate bytes of the summary.
  fileprivate var textSize: Int {
    let session = outline.session
    return 700 + session.note.utf8.count + session.gateway.utf8.count + session.wearer.utf8.count
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
      lost: try fields.required("lost", "a count as a text", JSONFields.long),
      listed: try fields.count("chunks"), end: try fields.boot("lastNs"))
  }
}
