/// Direction of a packet.
enum Direction: Hashable, Sendable {
  /// A command, host → board.
  case toBoard
  /// A notification, board → host.
  case fromBoard
}

/// One packet of a capture.
struct CapturedPacket: Hashable, Sendable {
  /// Place in the input, counted from 1.
  enum Place: Hashable, Sendable, CustomStringConvertible {
    /// A line of text.
    case line(Int)
    /// A record of a binary capture.
    case record(Int)

    /// The number alone.
    var number: Int {
      switch self {
      case .line(let number), .record(let number): number
      }
    }

    /// The place in words: `line 12`.
    var description: String {
      switch self {
      case .line(let number): "line \(number)"
      case .record(let number): "record \(number)"
      }
    }
  }

  /// Its place in the input.
  let place: Place
  /// Its time, as text of the capture; for a binary capture in ISO 8601.
  var time: String?
  /// The connection it belongs to, by its HCI handle and, above 16 bits, its adapter. Each
  /// connection counts as a separate board. `nil` if the capture names none.
  var link: UInt32?
  /// Its direction; `nil` if the capture does not show it.
  var direction: Direction?
  /// Its bytes, from the module's number to the end.
  let bytes: [UInt8]
}

/// An item that a reader found in its input.
enum CaptureItem: Hashable, Sendable {
  /// A packet of a board.
  case packet(CapturedPacket)
  /// A malformed packet, and the reason it could not be read.
  case unreadable(CapturedPacket.Place, reason: String)
}
