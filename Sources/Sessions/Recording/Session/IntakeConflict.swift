public import Values

/// The reason why a received chunk or record contradicts the data already held of its session.
/// Stores and folders refuse the same conflicts, in the same words.
public enum IntakeConflict: Hashable, Sendable, CustomStringConvertible {
  /// The session was recorded on another boot, and so by another gateway or at another time.
  case otherBoot(session: UniqueID, held: UniqueID, sent: UniqueID)
  /// The session was recorded by another gateway.
  case otherGateway(session: UniqueID, held: String, sent: String)
  /// The session has a stream with another description.
  case otherSettings(signal: String, board: BoardAddress, session: UniqueID)
  /// Another chunk has the place in its stream.
  case placeTaken(by: UniqueID, chunk: UniqueID, session: UniqueID)
  /// The record of the session lists the chunk, with other data.
  case otherThanListed(chunk: UniqueID, session: UniqueID)

  /// The conflict in a sentence.
  public var description: String {
    switch self {
    case .otherBoot(let session, let held, let sent):
      "session \(session) came from another gateway: its boot is \(held), not \(sent)"
    case .otherGateway(let session, let held, let sent):
      "session \(session) came from the gateway '\(held)', not '\(sent)'"
    case .otherSettings(let signal, let board, let session):
      "session \(session) has \(signal) of board \(board) with other settings"
    case .placeTaken(let other, let chunk, let session):
      "chunk \(other) has the place of chunk \(chunk) in session \(session)"
    case .otherThanListed(let chunk, let session):
      "chunk \(chunk) is not the one that the record of session \(session) lists"
    }
  }
}
