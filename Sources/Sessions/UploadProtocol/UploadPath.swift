internal import Recording
public import Values

/// The paths of the upload protocol, below the address that the user gives for an endpoint.
public enum UploadPath: Hashable, Sendable {
  /// Answers every permitted sender; nothing is stored.
  case root
  /// One chunk, its bytes as the body.
  case chunk(UniqueID)
  /// Several chunks in one body, a `ChunkBatch`.
  case chunks
  /// The list of sessions with any stored part.
  case sessions
  /// The record of a session, as JSON.
  case session(UniqueID)
  /// Fixes of a session's track from this number on, as JSON: at most `TrackPiece.capacity`.
  case track(UniqueID, first: Int)
  /// The definitions for the gateway of this permanent name, as JSON.
  case definitions(gateway: UniqueID)
  /// Positions and states of a fleet's gateways, as events.
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

  /// The case with this path; `nil` if there is none.
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
