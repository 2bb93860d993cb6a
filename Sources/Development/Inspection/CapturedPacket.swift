enum Direction: Hashable, Sendable {
  /// The packet is a command, sent from the host to the board.
  case toBoard
  /// The packet is a notification, sent from the board to the host.
  case fromBoard
}

struct CapturedPacket: Hashable, Sendable {
  /// A position in the input, counted from 1.
  enum Place: Hashable, Sendable, CustomStringConvertible {
    /// The number of a line of text.
    case line(Int)
    /// The number of a record in a binary capture.
    case record(Int)

    var number: Int {
      switch self {
      case .line(let number), .record(let number): number
      }
    }

    /// The position in words, such as `line 12`.
    var description: String {
      switch self {
      case .line(let number): "line \(number)"
      case .record(let number): "record \(number)"
      }
    }
  }

  let place: Place
  /// The time as written in a text capture, or in ISO 8601 for a binary capture.
  var time: String?
  /// The connection, identified by its HCI handle in the low 16 bits and its adapter in the bits
  /// above. Each connection is treated as a separate board. `nil` if the capture does not identify
  /// the connection.
  var link: UInt32?
  /// `nil` if the capture does not show the direction.
  var direction: Direction?
  /// The packet's bytes, starting with the module number.
  let bytes: [UInt8]
}

/// An item that a reader found in its input.
enum CaptureItem: Hashable, Sendable {
  case packet(CapturedPacket)
  /// A malformed packet, and the reason why it is unreadable.
  case unreadable(CapturedPacket.Place, reason: String)
}
