internal import MetaWearProtocol
internal import Values

/// Separates values of a board's two characteristics from all other values in a capture.
///
/// If the capture contains the discovery of the characteristics, their handles identify the board's
/// values. Otherwise, a handle is assumed to be the board's as soon as a value with this handle
/// looks like a board's packet.
struct AttributeFilter {
  /// Identifies an attribute on one connection.
  private struct Attribute: Hashable {
    let link: UInt32?
    let handle: UInt16
  }

  private var discovered: [UInt32?: Set<UInt16>] = [:]
  private var likely: Set<Attribute> = []

  /// Processes a characteristic's declaration, which consists of the properties, the value's
  /// handle, and the UUID.
  mutating func discover(link: UInt32?, declaration: ArraySlice<UInt8>) {
    guard declaration.count == 19 else { return }
    let bytes = Array(declaration)
    discover(
      link: link, handle: bytes.span.uint16(at: 1),
      isBoard: Self.identifiers.contains(Array(bytes[3...].reversed())))
  }

  /// Processes the handle of a characteristic with a known UUID.
  mutating func discover(link: UInt32?, handle: UInt16, isBoard: Bool) {
    if isBoard { discovered[link, default: []].insert(handle) }
  }

  /// Whether a value belongs to a board.
  mutating func accepts(_ bytes: [UInt8], link: UInt32?, handle: UInt16) -> Bool {
    if let handles = discovered[link] { return handles.contains(handle) }
    let attribute = Attribute(link: link, handle: handle)
    if Self.isLikely(bytes) { likely.insert(attribute) }
    return likely.contains(attribute)
  }

  /// Whether a value looks like a board's packet. The value that enables notifications, `01 00`, is
  /// excluded. As a packet, it would refer to register 0, which is read-only.
  private static func isLikely(_ bytes: [UInt8]) -> Bool {
    guard (2...Command.maximumLength).contains(bytes.count) else { return false }
    let header = PacketHeader(module: bytes[0], registerByte: bytes[1])
    return header.module != nil && (header.register > 0 || header.isRead)
  }

  /// Whether a string contains the UUID of one of the board's two characteristics.
  static func namesBoard(_ text: Substring) -> Bool {
    text.holds(GATT.command) || text.holds(GATT.notify)
  }

  private static let identifiers: [[UInt8]] = [GATT.command, GATT.notify].compactMap { text in
    Hexadecimal.bytes(text.filter { $0 != "-" })
  }
}

/// The ATT operations that are examined in a capture.
enum AttributeOperation: UInt8 {
  case readByTypeResponse = 0x09
  case writeRequest = 0x12
  case notification = 0x1b
  case indication = 0x1d
  case writeCommand = 0x52

  /// The direction of the operation's value; `nil` if the operation never carries a board's value.
  ///
  /// The direction depends on the operation and not on the capturing side, because only a board
  /// sends notifications.
  var direction: Direction? {
    switch self {
    case .writeRequest, .writeCommand: .toBoard
    case .notification, .indication: .fromBoard
    case .readByTypeResponse: nil
    }
  }
}
