/// One packet, explained.
struct Explanation: Hashable, Sendable {
  /// The kind of a packet.
  enum Kind: String, Hashable, Sendable {
    /// Host → board: a setting or a command.
    case write
    /// Host → board: asks for a value once.
    case read
    /// Host → board: makes the board read a value for itself.
    case silentRead = "silent_read"
    /// Host → board: requests a value from now on.
    case subscribe
    /// Host → board: ends a subscription.
    case unsubscribe
    /// Board → host: the answer to a read.
    case reply
    /// Board → host: an unrequested value, or the id of a new object.
    case notification
  }

  let packet: CapturedPacket
  /// Its direction, known or assumed.
  let direction: Direction
  /// Whether the direction is assumed, because the capture does not show it.
  let isDirectionAssumed: Bool
  /// The name of its module; `nil` if no module has that number.
  let module: String?
  /// The content of its register; `nil` if the module has no such register.
  let register: String?
  /// The kind of packet.
  let kind: Kind
  /// Whether its whole meaning is known.
  let isUnderstood: Bool
  /// Assumptions about the board, each a clause.
  let assumptions: [String]
  /// Its meaning.
  let statement: Statement
}
