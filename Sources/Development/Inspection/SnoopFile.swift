internal import MetaWearProtocol
internal import Values

/// Reads a btsnoop capture, in pieces of any size. The format is defined in RFC 1761 and extended
/// for Bluetooth data, as written by `btmon -w` and by Android.
struct SnoopFile {
  /// The first eight bytes of a btsnoop file.
  static let identification: [UInt8] = Array("btsnoop".utf8) + [0]

  private enum Encapsulation: UInt32 {
    /// Records contain bare packets. Flags distinguish commands and events from data.
    case plain = 1001
    /// Records contain packets preceded by a byte that specifies their kind.
    case serial = 1002
    /// Records are in the Linux monitor format. Their flags contain the adapter and the opcode.
    case monitor = 2001
  }

  /// Identifies a connection's direction.
  private struct Way: Hashable {
    let link: UInt32
    let isSent: Bool
  }

  /// The number of values that were skipped because they belong to other devices or services.
  private(set) var passedOver = 0
  private var buffer: [UInt8] = []
  private var encapsulation: Encapsulation?
  private var records = 0
  private var isBroken = false
  private var partial: [Way: [UInt8]] = [:]
  private var filter = AttributeFilter()

  // No Bluetooth packet is longer. A greater length means that the offset is not at the start of a
  // record.
  private static let longestRecord: UInt32 = 1 << 17
  // Microseconds from the start of the year 0, where the format's time scale begins, to the start
  // of 1970.
  private static let epoch: Int64 = 0x00dc_ddb3_0f2f_8000

  mutating func read(_ bytes: [UInt8]) -> [CaptureItem] {
    guard !isBroken else { return [] }
    buffer += bytes
    var items: [CaptureItem] = []
    var start = 0
    if encapsulation == nil {
      guard buffer.count >= 16 else { return [] }
      let version = number(at: 8)
      let kind = number(at: 12)
      guard version == 1, let known = Encapsulation(rawValue: kind) else {
        isBroken = true
        return [
          .unreadable(
            .record(0), reason: "unsupported btsnoop format: version \(version), data link \(kind)")
        ]
      }
      encapsulation = known
      start = 16
    }
    while buffer.count - start >= 24 {
      let length = number(at: start + 4)
      guard length <= Self.longestRecord else {
        isBroken = true
        items.append(
          .unreadable(
            .record(records + 1), reason: "claims a length of \(length) bytes; reading stops"))
        buffer = []
        return items
      }
      let end = start + 24 + Int(length)
      guard buffer.count >= end else { break }
      records += 1
      items += record(
        Array(buffer[(start + 24)..<end]), isWhole: number(at: start) == length,
        flags: number(at: start + 8), time: time(at: start + 16))
      start = end
    }
    buffer.removeFirst(start)
    return items
  }

  /// Handles the end of the capture. Reports the last record if it is incomplete.
  mutating func finish() -> [CaptureItem] {
    guard !isBroken, !buffer.isEmpty else { return [] }
    return [.unreadable(.record(records + 1), reason: "the file ends within this record")]
  }

  private mutating func record(
    _ bytes: [UInt8], isWhole: Bool, flags: UInt32, time: String
  ) -> [CaptureItem] {
    let place = CapturedPacket.Place.record(records)
    var data = bytes[...]
    var adapter: UInt32 = 0
    var isSent = flags & 1 == 0
    switch encapsulation {
    case .plain:
      guard flags & 2 == 0 else { return [] }
    case .serial:
      guard data.popFirst() == 0x02 else { return [] }
    case .monitor:
      // Opcode 4 marks sent data, opcode 5 received data.
      guard flags & 0xffff == 4 || flags & 0xffff == 5 else { return [] }
      isSent = flags & 0xffff == 4
      adapter = flags >> 16
    case nil: return []
    }
    let packet = Array(data)
    guard packet.count >= 4 else {
      return [.unreadable(place, reason: "a data packet of only \(packet.count) bytes")]
    }
    guard isWhole, packet.count - 4 >= Int(packet.span.uint16(at: 2)) else {
      return [.unreadable(place, reason: "the capture truncated this packet")]
    }
    let handle = packet.span.uint16(at: 0)
    let way = Way(link: adapter << 16 | UInt32(handle & 0x0fff), isSent: isSent)
    let payload = packet[4..<(4 + Int(packet.span.uint16(at: 2)))]
    return assemble(
      payload, of: way, isContinued: handle >> 12 & 3 == 1, place: place, time: time)
  }

  /// Assembles a packet's fragments. An L2CAP packet starts with its length and the channel number.
  private mutating func assemble(
    _ payload: ArraySlice<UInt8>, of way: Way, isContinued: Bool, place: CapturedPacket.Place,
    time: String
  ) -> [CaptureItem] {
    var items: [CaptureItem] = []
    var whole = Array(payload)
    if isContinued {
      guard let begun = partial.removeValue(forKey: way) else {
        return [.unreadable(place, reason: "the end of a packet whose beginning is missing")]
      }
      whole = begun + whole
    } else if partial.removeValue(forKey: way) != nil {
      items.append(.unreadable(place, reason: "the end of the packet before this one is missing"))
    }
    guard whole.count >= 4, whole.count >= 4 + Int(whole.span.uint16(at: 0)) else {
      partial[way] = whole
      return items
    }
    // Channel 4 is the attribute protocol.
    guard whole.span.uint16(at: 2) == 4 else { return items }
    let attribute = Array(whole[4..<(4 + Int(whole.span.uint16(at: 0)))])
    if let item = read(attribute, of: way, place: place, time: time) { items.append(item) }
    return items
  }

  private mutating func read(
    _ attribute: [UInt8], of way: Way, place: CapturedPacket.Place, time: String
  ) -> CaptureItem? {
    guard let operation = attribute.first.flatMap(AttributeOperation.init) else { return nil }
    guard let direction = operation.direction else {
      // Entries of 21 bytes are declarations with 128-bit UUIDs. They contain the handle, the
      // properties, the value handle and the UUID.
      guard attribute.count > 1, attribute[1] == 21 else { return nil }
      for start in stride(from: 2, to: attribute.count - 20, by: 21) {
        filter.discover(link: way.link, declaration: attribute[(start + 2)..<(start + 21)])
      }
      return nil
    }
    guard attribute.count >= 3 else {
      return .unreadable(place, reason: "an attribute packet of only \(attribute.count) bytes")
    }
    let bytes = Array(attribute[3...])
    guard
      filter.accepts(bytes, link: way.link, handle: attribute.span.uint16(at: 1))
    else {
      passedOver += 1
      return nil
    }
    return .packet(
      CapturedPacket(
        place: place, time: time, link: way.link, direction: direction, bytes: bytes))
  }

  private func number(at offset: Int) -> UInt32 {
    buffer[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func time(at offset: Int) -> String {
    let stamp = UInt64(number(at: offset)) << 32 | UInt64(number(at: offset + 4))
    let microseconds = Int64(bitPattern: stamp) &- Self.epoch
    // A damaged timestamp may be too large to convert to nanoseconds.
    let (nanoseconds, overflows) = microseconds.multipliedReportingOverflow(by: 1000)
    return UTCTime(nanoseconds: overflows ? 0 : nanoseconds).iso8601()
  }
}
