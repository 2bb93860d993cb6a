@testable import BoardDriver
import LinuxSystem
import RingBuffer
import TestSupport
import Testing

@Suite(.computation) struct ControlChannelTests {
  @Test
  func `packets from an old link that are still in the ring do not reach the new link's handler`()
    async throws
  {
    let ring = Ring<ControlPacket>.make(capacity: 16)
    var producer = ring.producer
    let channel = try ControlChannel(ring.consumer)
    let (events, post) = AsyncStream<ReaderEvent>.makeStream()
    let old = channel.handle(7) { _ in Issue.record("the old link's handler was let go of") }
    let new = channel.handle(7) { post.yield($0) }
    let bytes: [UInt8] = [0x03, 0x80, 1]
    for packet in [
      ControlPacket(.packet, board: 7, attachment: old, bytes.span),
      ControlPacket(hangUpOf: 7, attachment: old),
      ControlPacket(.packet, board: 7, attachment: new, bytes.span),
      ControlPacket(hangUpOf: 7, attachment: new),
    ] {
      let isPushed = producer.push(packet)
      #expect(isPushed)
    }
    channel.bell.ring()
    var seen: [ReaderEvent] = []
    for await event in events {
      seen.append(event)
      if case .hungUp = event { break }
    }
    #expect(seen.count == 2)
    guard case .packet(let packet) = seen.first else {
      Issue.record("the new link's packet comes before its hang-up")
      return
    }
    #expect(packet == bytes)
  }
}
