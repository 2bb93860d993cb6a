import TestSupport
import Testing

@testable import Inspection

@Suite(.computation) struct SnoopFileTests {
  private func items(_ bytes: [UInt8]) -> (items: [CaptureItem], passedOver: Int) {
    var reader = CaptureReader()
    let items = reader.read(bytes) + reader.finish()
    return (items, reader.passedOver)
  }

  private func packets(_ items: [CaptureItem]) -> [[UInt8]] {
    items.compactMap { item in
      guard case .packet(let packet) = item else { return nil }
      return packet.bytes
    }
  }

  private func capture(_ kind: SnoopBuilder.Kind = .monitor) -> SnoopBuilder {
    var builder = SnoopBuilder(kind)
    builder.value(0x12, handle: 0x14, "0100")
    builder.value(0x52, handle: 0x11, "0380")
    builder.value(0x1b, handle: 0x13, "03800400")
    builder.value(
      0x1b, handle: 0x13, "03050100feff00100100feff00100100feff0010", fragment: 14)
    return builder
  }

  @Test(arguments: [SnoopBuilder.Kind.plain, .serial, .monitor])
  func `packets are found in every encapsulation, and fragments are reassembled`(
    _ kind: SnoopBuilder.Kind
  ) {
    let (items, passedOver) = items(capture(kind).bytes)
    func packet(_ record: Int, _ direction: Direction, _ bytes: String, _ time: String)
      -> CaptureItem
    {
      .packet(
        CapturedPacket(
          place: .record(record), time: "2025-11-21T11:38:32.\(time)Z", link: 64,
          direction: direction, bytes: hex(bytes)))
    }
    #expect(
      items == [
        packet(2, .toBoard, "0380", "015000"), packet(3, .fromBoard, "03800400", "022500"),
        packet(
          5, .fromBoard, "03050100feff00100100feff00100100feff0010", "037500"),
      ])
    #expect(passedOver == 1)
  }

  @Test
  func `handles from a discovery take precedence over guesses based on the form of the values`() {
    var builder = SnoopBuilder()
    builder.discovery([(0x11, SnoopBuilder.command), (0x13, SnoopBuilder.notify)])
    builder.value(0x52, handle: 0x21, "030401")
    builder.value(0x1b, handle: 0x13, "7f01")
    builder.value(0x52, handle: 0x11, "030401")
    let (items, passedOver) = items(builder.bytes)
    #expect(packets(items) == [hex("7f01"), hex("030401")])
    #expect(passedOver == 1)
  }

  @Test func `another connection is treated as a separate link`() {
    var builder = SnoopBuilder()
    builder.value(0x1b, handle: 0x13, "0380", link: 64)
    builder.value(0x1b, handle: 0x13, "0380", link: 65)
    let links = items(builder.bytes).items.map { item -> UInt32? in
      guard case .packet(let packet) = item else { return nil }
      return packet.link
    }
    #expect(links == [64, 65])
  }

  @Test func `fragments on two links may be interleaved`() {
    var first = SnoopBuilder()
    first.value(0x1b, handle: 0x13, "030401020304", link: 64, fragment: 9)
    var second = SnoopBuilder()
    second.value(0x1b, handle: 0x13, "030405060708", link: 65, fragment: 9)
    let head = 16
    let record = 24 + 4 + 9
    let bytes =
      first.bytes[..<(head + record)] + second.bytes[head..<(head + record)]
      + first.bytes[(head + record)...] + second.bytes[(head + record)...]
    #expect(packets(items(Array(bytes)).items) == [hex("030401020304"), hex("030405060708")])
  }

  @Test func `a damaged record is reported with its number, and the following records are read`() {
    var builder = SnoopBuilder()
    builder.record([64, 0x10, 1, 0, 0], isSent: false)
    builder.record([64, 0x20, 9, 0, 5, 0, 4, 0], isSent: false, missing: 5)
    builder.record([64], isSent: false)
    builder.record([64, 0x20, 6, 0, 9, 0, 4, 0, 0x1b, 0x13], isSent: false)
    builder.value(0x1b, handle: 0x13, "0380")
    #expect(
      items(builder.bytes).items.dropLast() == [
        .unreadable(.record(1), reason: "the end of a packet whose beginning is missing"),
        .unreadable(.record(2), reason: "the capture truncated this packet"),
        .unreadable(.record(3), reason: "a data packet of only 1 bytes"),
        .unreadable(.record(5), reason: "the end of the packet before this one is missing"),
      ])
    #expect(packets(items(builder.bytes).items) == [hex("0380")])
  }

  @Test func `an unknown file type is rejected`() {
    var bytes = capture().bytes
    bytes[15] = 0
    #expect(
      items(bytes).items == [
        .unreadable(.record(0), reason: "unsupported btsnoop format: version 1, data link 1792")
      ])
  }

  @Test func `reading stops at a record that is longer than any valid packet`() {
    var bytes = capture().bytes
    bytes[20] = 0xff
    let (items, _) = items(bytes)
    #expect(items.count == 1)
    #expect(items.first.map { "\($0)".contains("reading stops") } == true)
  }

  @Test func `a truncated file yields the packets before the truncation`() {
    let bytes = capture().bytes
    let whole = packets(items(bytes).items)
    for length in 0..<bytes.count {
      let (cut, _) = items(Array(bytes[..<length]))
      #expect(whole.starts(with: packets(cut)))
      var reader = CaptureReader()
      let pieces =
        reader.read(Array(bytes[..<length])) + reader.read(Array(bytes[length...]))
        + reader.finish()
      #expect(packets(pieces) == whole)
    }
  }

  @Test func `a change of any one byte neither crashes the reader nor yields more than 16 items`() {
    let bytes = capture().bytes
    for position in bytes.indices {
      for change in [UInt8(0xff), 0x80, 0x01] {
        var changed = bytes
        changed[position] ^= change
        #expect(items(changed).items.count <= 16)
      }
    }
  }
}
