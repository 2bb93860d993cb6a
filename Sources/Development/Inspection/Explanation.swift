/// The explanation of one packet.
struct Explanation: Hashable, Sendable {
  enum Kind: String, Hashable, Sendable {
    /// The host changes a board setting or makes the board run a command.
    case write
    /// The host requests a value once.
    case read
    /// The host makes the board read a value for the board's own use.
    case silentRead = "silent_read"
    /// The host requests all future values.
    case subscribe
    /// The host ends a subscription.
    case unsubscribe
    /// The board replies to a read.
    case reply
    /// The board sends a subscribed value, or the id of a new object.
    case notification
  }

  let packet: CapturedPacket
  /// The packet's direction, known or assumed.
  let direction: Direction
  /// Whether the direction is assumed because the capture does not show it.
  let isDirectionAssumed: Bool
  /// `nil` if the module number is unknown.
  let module: String?
  /// `nil` if the module has no such register.
  let register: String?
  let kind: Kind
  /// Whether the packet has a known meaning. It may still have surplus bytes.
  let isUnderstood: Bool
  /// Assumptions made about the board. Each is one clause.
  let assumptions: [String]
  let statement: Statement
}
