public import Recording
internal import Storage
public import Values

/// A session in a list.
public struct SessionLine {
  let outline: SessionOutline
  let isBeingRecorded: Bool
  /// The gateway that sent it, at an endpoint.
  var gateway: UniqueID?
  /// Chunks that its record lists, but that have not arrived at its place.
  let missingChunks: Int

  /// A session of its own store.
  init(outline: SessionOutline, isBeingRecorded: Bool) {
    self.outline = outline
    self.isBeingRecorded = isBeingRecorded
    missingChunks = outline.missingChunks
  }

  /// A session at an endpoint.
  public init(_ summary: RecordSummary, of held: HeldSession) {
    outline = SessionOutline(of: summary)
    isBeingRecorded = false
    gateway = held.gateway
    missingChunks = max(0, summary.listed - held.chunks)
  }

  /// Whether samples are missing that had been stored.
  var isIncomplete: Bool {
    outline.lostChunks > 0 || outline.hasUnknownLosses && !outline.session.isArriving
  }

  var lostText: String {
    SessionText.lost(
      outline.lost, isLeast: outline.hasUnknownLosses, isEstimate: outline.lostChunks > 0)
  }

  private var start: UTCTime? { outline.clock.utc(at: outline.session.start) }

  func startText(inUTC: Bool) -> String { SessionText.date(start, inUTC: inUTC) ?? "–" }

  var seconds: Double { max(0, outline.end.seconds(since: outline.session.start)) }

  var ending: String {
    let ending = SessionText.ending(outline.session, isBeingRecorded: isBeingRecorded)
    return missingChunks == 0 ? ending : "\(ending), \(missingChunks) chunks missing"
  }

  /// A session of which only the id is known, with the reason.
  public static func json(arriving id: UniqueID, because ended: String = "being sent") -> JSONValue
  {
    [
      "session": id.json, "start": .null, "timeSource": .null, "seconds": .null, "boards": .null,
      "samples": .null, "lost": .null, "ended": ended.json, "gateway": .null, "wearer": .null,
      "note": .null,
    ]
  }

  /// Members of a damaged session only.
  private var lossMembers: [JSONValue.Member] {
    (outline.hasUnknownLosses ? [.init("lostAtLeast", outline.lost)] : [])
      + (outline.lostChunks > 0
        ? [.init("lostChunks", outline.lostChunks), .init("lossIsEstimate", true)] : [])
  }

  /// Members of a sent session only.
  private var sentMembers: [JSONValue.Member] {
    (gateway.map { [.init("gatewayID", $0)] } ?? [])
      + (missingChunks > 0 ? [.init("missingChunks", missingChunks)] : [])
  }

  /// The session, as `footbridge sessions --json` lists it.
  public var json: JSONValue {
    let session = outline.session
    return .object(
      [
        .init("session", session.id), .init("start", start?.iso8601()),
        .init("timeSource", outline.clock.sourceName), .init("seconds", seconds),
        .init("boards", outline.boards), .init("samples", outline.samples),
        .init("lost", outline.hasUnknownLosses ? .null : outline.lost.json), .init("ended", ending),
        .init("gateway", session.gateway), .init("wearer", session.wearer),
        .init("note", session.note), .init("distanceMetres", outline.distance.json(decimals: 1)),
      ] + lossMembers + sentMembers)
  }
}
