internal import Recording
public import Values

/// The paths of the upload protocol, relative to the upload server's address as entered by the
/// user.
public enum UploadPath: Hashable, Sendable {
  /// The root of the protocol. It responds to every permitted sender, but does not store any data.
  case root
  /// One chunk, with its bytes as the body.
  case chunk(UniqueID)
  /// Several chunks in one body, as a `ChunkBatch`.
  case chunks
  /// The list of all fully or partly stored sessions.
  case sessions
  /// The record of a session, as JSON.
  case session(UniqueID)
  /// The fixes of a session's track from this number onwards, at most `TrackPiece.capacity`, as
  /// JSON.
  case track(UniqueID, first: Int)
  /// The definitions for the gateway with this permanent identifier, as JSON.
  case definitions(gateway: UniqueID)
  /// The positions and states of a fleet's gateways, as an event stream.
  case live

  /// The path, beginning with a slash.
  public var text: String {
    switch self {
    case .root: "/v1/"
    case .chunk(let id): "/v1/chunks/\(id)"
    case .chunks: "/v1/chunks"
    case .sessions: "/v1/sessions"
    case .session(let id): "/v1/sessions/\(id)"
    case .track(let id, let first): "/v1/sessions/\(id)/track/\(first)"
    case .definitions(let gateway): "/v1/definitions/\(gateway)"
    case .live: "/v1/live"
    }
  }

  public init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .dropFirst().map { Substring($0) }
    guard parts.first == "v1" else { return nil }
    switch Array(parts.dropFirst()) {
    case [""]: self = .root
    case ["chunks"]: self = .chunks
    case ["sessions"]: self = .sessions
    case ["live"]: self = .live
    case let parts where parts.count == 2 && parts[0] == "chunks":
      guard let id = UniqueID(parts[1]) else { return nil }
      self = .chunk(id)
    case let parts where parts.count == 2 && parts[0] == "sessions":
      guard let id = UniqueID(parts[1]) else { return nil }
      self = .session(id)
    case let parts where parts.count == 2 && parts[0] == "definitions":
      guard let gateway = UniqueID(parts[1]) else { return nil }
      self = .definitions(gateway: gateway)
    case let parts where parts.count == 4 && parts[0] == "sessions" && parts[2] == "track":
      guard let id = UniqueID(parts[1]), let first = Int(parts[3]),
        (0...TrackPiece.mostFixes).contains(first)
      else { return nil }
      self = .track(id, first: first)
    default: return nil
    }
  }
}
