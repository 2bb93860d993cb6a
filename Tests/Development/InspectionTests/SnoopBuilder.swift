/// Writes btsnoop captures.
struct SnoopBuilder {
  enum Kind: UInt32 {
    case plain = 1001
    case serial = 1002
    case monitor = 2001
  }

  private(set) var bytes: [UInt8]
  private let kind: Kind
  /// Microseconds since 1970.
  var time: UInt64 = 1_763_725_112_000_000

  static let command = uuid(0x01)
  static let notify = uuid(0x06)

  init(_ kind: Kind = .monitor) {
    self.kind = kind
    bytes = Array("btsnoop".utf8) + [0] + Self.big(1) + Self.big(kind.rawValue)
  }

  /// Appends a value written to or notified from an attribute, split into fragments of at most
  /// `fragment` bytes.
  mutating func value(
    _ operation: UInt8, handle: UInt8, _ value: String, link: UInt8 = 64, fragment: Int = 100
  ) {
    attribute(
      [operation, handle, 0] + hex(value), isSent: operation == 0x52 || operation == 0x12,
      link: link, fragment: fragment)
  }

  /// Appends the response to a characteristic discovery: the value handles, with their UUIDs.
  mutating func discovery(_ characteristics: [(handle: UInt8, uuid: [UInt8])]) {
    attribute(
      [0x09, 21]
        + characteristics.flatMap { [$0.handle - 1, 0, 0x1c, $0.handle, 0] + $0.uuid },
      isSent: false, link: 64, fragment: 100)
  }

  mutating func attribute(_ pdu: [UInt8], isSent: Bool, link: UInt8, fragment: Int) {
    let whole = [UInt8(pdu.count), 0, 4, 0] + pdu
    for start in stride(from: 0, to: whole.count, by: fragment) {
      let part = Array(whole[start..<min(start + fragment, whole.count)])
      let boundary: UInt8 = start > 0 ? 0x10 : isSent ? 0 : 0x20
      record([link, boundary, UInt8(part.count), 0] + part, isSent: isSent)
    }
  }

  mutating func record(_ data: [UInt8], isSent: Bool, missing: Int = 0) {
    let packet = kind == .serial ? [2] + data : data
    let flags: UInt32 = kind == .monitor ? (isSent ? 4 : 5) : (isSent ? 0 : 1)
    time += 7_500
    let stamp = time + 0x00dc_ddb3_0f2f_8000
    bytes += Self.big(UInt32(packet.count + missing)) + Self.big(UInt32(packet.count))
    bytes += Self.big(flags) + Self.big(0)
    bytes += Self.big(UInt32(stamp >> 32)) + Self.big(UInt32(truncatingIfNeeded: stamp)) + packet
  }

  static func big(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  private static func uuid(_ number: UInt8) -> [UInt8] {
    Array(
      hex("326a90") + [number] + hex("85cb9195d9dd464cfbbae75a")
    )
    .reversed()
  }
}
