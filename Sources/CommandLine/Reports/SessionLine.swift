public import Recording
internal import Storage
public import Values

/// One line in a list of sessions.
public struct SessionLine {
  let outline: SessionOutline
  let isBeingRecorded: Bool
  /// The gateway that sent the session; `nil` for a session in the local store.
  var gateway: UniqueID?
  /// The number of chunks that the session record lists but the endpoint has not received.
  let missingChunks: Int

  init(outline: SessionOutline, isBeingRecorded: Bool) {
    self.outline = outline
    self.isBeingRecorded = isBeingRecorded
    missingChunks = outline.missingChunks
  }

  /// Creates the line for a session at an upload endpoint.
  public init(_ summary: RecordSummary, of held: HeldSession) {
    outline = SessionOutline(of: summary)
    isBeingRecorded = false
    gateway = held.gateway
    missingChunks = max(0, summary.listed - held.chunks)
  }

  /// Whether samples that were once stored are now missing.
  var isIncomplete: Bool {
    outline.lostChunks > 0 || outline.hasUnknownLosses && !outline.session.isArriving
  }

  var lostText: String {
    SessionText.lost(
      outline.lost, isLeast: outline.hasUnknownLosses, isEstimate: outline.lostChunks > 0)
  }

  private var start: UTCTime? { outline.clock.utc(at: outline.session.start) }

  func startText(inUTC: Bool) -> String { SessionText.date(start, inUTC: inUTC) ?? "–" }

  var distanceText: String { Self.metres(outline.statistics?.distance) }
  var climbText: String { Self.metres(outline.statistics?.altitude?.gain) }
  var stepsText: String {
    outline.statistics?.stepCount.map { NumberText.grouped(max(0, $0)) } ?? "–"
  }

  private static func metres(_ value: Double?) -> String {
    value.map { NumberText.grouped(UInt64(min(max($0, 0), 1e9).rounded())) + " m" } ?? "–"
  }

  var seconds: Double { max(0, outline.end.seconds(since: outline.session.start)) }

  var ending: String {
    let ending = SessionText.ending(outline.session, isBeingRecorded: isBeingRecorded)
    return missingChunks == 0 ? ending : "\(ending), \(missingChunks) chunks missing"
  }

  /// Returns the JSON of a session with an unavailable record: the session's id, and the reason.
  public static func json(arriving id: UniqueID, because ended: String = "being sent") -> JSONValue
  {
    [
      "session": id.json, "start": .null, "timeSource": .null, "seconds": .null, "boards": .null,
      "samples": .null, "lost": .null, "ended": ended.json, "gateway": .null,
      "participant": .null, "wearer": .null, "note": .null,
    ]
  }

  /// The JSON members that only a damaged session has.
  private var lossMembers: [JSONValue.Member] {
    (outline.hasUnknownLosses ? [.init("lostAtLeast", outline.lost)] : [])
      + (outline.lostChunks > 0
        ? [.init("lostChunks", outline.lostChunks), .init("lossIsEstimate", true)] : [])
  }

  /// The JSON members that only a session at an upload endpoint has.
  private var sentMembers: [JSONValue.Member] {
    (gateway.map { [.init("gatewayID", $0)] } ?? [])
      + (missingChunks > 0 ? [.init("missingChunks", missingChunks)] : [])
  }

  /// The session as `footbridge sessions --json` lists it.
  public var json: JSONValue {
    let session = outline.session
    let statistics = outline.statistics
    return .object(
      [
        .init("session", session.id), .init("start", start?.iso8601()),
        .init("timeSource", outline.clock.sourceName), .init("seconds", seconds),
        .init("boards", outline.boards), .init("samples", outline.samples),
        .init("lost", outline.hasUnknownLosses ? .null : outline.lost.json), .init("ended", ending),
        .init("gateway", session.gateway), .init("participant", session.participant),
        .init("wearer", session.wearer),
        .init("note", session.note),
        .init("distanceMetres", (statistics?.distance).json(decimals: 1)),
        .init("steps", statistics?.stepCount),
        .init("gainMetres", (statistics?.altitude?.gain).json(decimals: 1)),
        .init("lossMetres", (statistics?.altitude?.loss).json(decimals: 1)),
        .init("tasks", outline.tasks), .init("submitted", outline.hasReport),
      ] + lossMembers + sentMembers)
  }
}
