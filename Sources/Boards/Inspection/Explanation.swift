/// One packet, explained.
public struct Explanation: Hashable, Sendable {
  /// What a packet is in the conversation.
  public enum Kind: String, Hashable, Sendable {
    /// Host → board: a setting or an order.
    case write
    /// Host → board: asks for a value once.
    case read
    /// Host → board: has the board read a value for itself.
    case silentRead = "silent_read"
    /// Host → board: asks for a value from now on.
    case subscribe
    /// Host → board: ends that.
    case unsubscribe
    /// Board → host: the answer to a read.
    case reply
    /// Board → host: a value that comes by itself, or the id of a new object.
    case notification
  }

  /// The packet.
  public let packet: CapturedPacket
  /// Which way it went, or is taken to have gone.
  public let direction: Direction
  /// Whether the way was taken for granted, since the capture does not tell it.
  public let isDirectionAssumed: Bool
  /// Its module; `nil` where none is known by that number.
  public let module: String?
  /// What its register holds; `nil` where the module has no such register.
  public let register: String?
  /// What it is in the conversation.
  public let kind: Kind
  /// Whether its meaning is known, all of it.
  public let isUnderstood: Bool
  /// Assumptions about the board, each a clause.
  public let assumptions: [String]
  /// What it says.
  public let statement: Statement
}
