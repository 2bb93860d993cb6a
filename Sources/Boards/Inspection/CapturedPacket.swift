/// Which way a packet went.
public enum Direction: Hashable, Sendable {
  /// A command, host → board.
  case toBoard
  /// A notification, board → host.
  case fromBoard
}

/// One packet as a capture holds it.
public struct CapturedPacket: Hashable, Sendable {
  /// Where in its input something stood, counted from 1.
  public enum Place: Hashable, Sendable, CustomStringConvertible {
    /// A line of text.
    case line(Int)
    /// A record of a binary capture.
    case record(Int)

    /// The number alone.
    public var number: Int {
      switch self {
      case .line(let number), .record(let number): number
      }
    }

    /// As people write it: `line 12`.
    public var description: String {
      switch self {
      case .line(let number): "line \(number)"
      case .record(let number): "record \(number)"
      }
    }
  }

  /// Where it stood.
  public let place: Place
  /// Its time in the words of the capture; for a binary capture in ISO 8601.
  public let time: String?
  /// The connection it belongs to, by its HCI handle and, above 16 bits, its adapter; each is a
  /// board of its own. `nil` where the capture names none.
  public let link: UInt32?
  /// Which way it went; `nil` where the capture does not say.
  public let direction: Direction?
  /// Its bytes, from the module's number on.
  public let bytes: [UInt8]

  /// A packet.
  public init(
    place: Place, time: String? = nil, link: UInt32? = nil, direction: Direction? = nil,
    bytes: [UInt8]
  ) {
    self.place = place
    self.time = time
    self.link = link
    self.direction = direction
    self.bytes = bytes
  }
}

/// What a reader found in its input.
public enum CaptureItem: Hashable, Sendable {
  /// A packet of a board.
  case packet(CapturedPacket)
  /// Something that should have been one, and why it could not be read.
  case unreadable(CapturedPacket.Place, reason: String)
}
