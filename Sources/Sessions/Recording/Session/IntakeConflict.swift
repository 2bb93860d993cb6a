public import Values

/// The reason why a received chunk or record contradicts the data that is already stored for its
/// session. Stores and folders refuse the same items with the same messages.
public enum IntakeConflict: Hashable, Sendable, CustomStringConvertible {
  /// The session was recorded during another boot, and therefore by another gateway or at another
  /// time.
  case otherBoot(session: UniqueID, held: UniqueID, sent: UniqueID)
  case otherGateway(session: UniqueID, held: String, sent: String)
  /// The session already includes this stream with a different description.
  case otherSettings(signal: String, board: BoardAddress, session: UniqueID)
  /// Another chunk already occupies this position in the stream.
  case placeTaken(by: UniqueID, chunk: UniqueID, session: UniqueID)
  /// The session's record contains a different description of this chunk.
  case otherThanListed(chunk: UniqueID, session: UniqueID)

  public var description: String {
    switch self {
    case .otherBoot(let session, let held, let sent):
      "session \(session) came from another gateway: its boot is \(held), not \(sent)"
    case .otherGateway(let session, let held, let sent):
      "session \(session) came from the gateway '\(held)', not '\(sent)'"
    case .otherSettings(let signal, let board, let session):
      "session \(session) already has \(signal) of board \(board) with different settings"
    case .placeTaken(let other, let chunk, let session):
      "chunk \(other) already occupies the position of chunk \(chunk) in session \(session)"
    case .otherThanListed(let chunk, let session):
      "chunk \(chunk) does not match its entry in the record of session \(session)"
    }
  }
}
