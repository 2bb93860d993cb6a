internal import MetaWearProtocol
internal import Values

/// Separates the values of a board's two characteristics from others in the same capture.
///
/// If the capture shows the discovery of the characteristics, their handles decide. Otherwise a
/// handle counts as the board's once a value has looked like one of its packets.
struct AttributeFilter {
  /// An attribute of one connection.
  private struct Attribute: Hashable {
    let link: UInt32?
    let handle: UInt16
  }

  private var discovered: [UInt32?: Set<UInt16>] = [:]
  private var likely: Set<Attribute> = []

  /// Takes a characteristic's declaration: properties, handle of the value, UUID.
  mutating func discover(link: UInt32?, declaration: ArraySlice<UInt8>) {
    guard declaration.count == 19 else { return }
    let bytes = Array(declaration)
    discover(
      link: link, handle: bytes.span.uint16(at: 1),
      isBoard: Self.identifiers.contains(Array(bytes[3...].reversed())))
  }

  /// Takes the handle of a characteristic whose UUID is known.
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

  /// Whether a value looks like a packet of a board. A value that turns notifications on, `01 00`,
  /// names register 0, which is only ever read.
  private static func isLikely(_ bytes: [UInt8]) -> Bool {
    guard (2...Command.maximumLength).contains(bytes.count) else { return false }
    let header = PacketHeader(module: bytes[0], registerByte: bytes[1])
    return header.module != nil && (header.register > 0 || header.isRead)
  }

  /// Whether a text names one of the two characteristics.
  static func namesBoard(_ text: Substring) -> Bool {
    text.holds(GATT.command) || text.holds(GATT.notify)
  }

  private static let identifiers: [[UInt8]] = [GATT.command, GATT.notify].compactMap { text in
    Hexadecimal.bytes(text.filter { $0 != "-" })
  }
}

/// The operations of the attribute protocol that carry packets.
enum AttributeOperation: UInt8 {
  case readByTypeResponse = 0x09
  case writeRequest = 0x12
  case notification = 0x1b
  case indication = 0x1d
  case writeCommand = 0x52

  /// Direction of its value; `nil` if it carries no value of a board.
  ///
  /// The operation decides, not the capturing side: only a board notifies.
  var direction: Direction? {
    switch self {
    case .writeRequest, .writeCommand: .toBoard
    case .notification, .indication: .fromBoard
    case .readByTypeResponse: nil
    }
  }
}
