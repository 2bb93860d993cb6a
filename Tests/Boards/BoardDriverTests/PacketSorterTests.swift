@testable import BoardDriver
import MetaWearProtocol
import Recording
import RingBuffer
import TestSupport
import Testing
import Values

@Suite(.computation) struct PacketSorterTests {
  private static let sensor = Accelerometer(chip: .bmi270, revision: 0)
  private static let packet: [UInt8] = [
    0x03, 0x05, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9, 0,
  ]
  private let start = BootTime(nanoseconds: 1_000)

  /// Returns a sorter for two streams. The first cannot be decoded, and the second is packed
  /// acceleration.
  private func sorter() -> PacketSorter {
    PacketSorter(
      board: 4, streams: [nil, StreamDecoder(Self.sensor.samples, layout: .packed)])
  }

  private func take(from consumer: inout RingConsumer<Reading>) -> [Reading] {
    var readings: [Reading] = []
    while let reading = consumer.pop() { readings.append(reading) }
    return readings
  }

  @Test func `each sample in a packet becomes a reading with the packet's stream and time`() {
    let ends = Ring<Reading>.make(capacity: 8)
    var producer = ends.producer
    var consumer = ends.consumer
    var sorter = sorter()
    let finding = sorter.sort(Self.packet.span, arrival: start, into: &producer)
    #expect(finding == .samples)
    let readings = take(from: &consumer)
    #expect(readings.map(\.counter) == [0, 1, 2])
    #expect(
      readings.map { [$0.x, $0.y, $0.z, $0.w] } == [[1, 2, 3, 0], [4, 5, 6, 0], [7, 8, 9, 0]])
    #expect(
      readings.allSatisfy {
        $0.kind == .sample && $0.board == 4 && $0.stream == 1 && $0.arrival == start
      })
  }

  @Test func `a truncated packet is malformed, and an unknown register belongs to no stream`() {
    let ends = Ring<Reading>.make(capacity: 8)
    var producer = ends.producer
    var consumer = ends.consumer
    var sorter = sorter()
    let cutPacket = Array(Self.packet.dropLast())
    let otherPacket: [UInt8] = [0x03, 0x04, 1, 0, 2, 0, 3, 0]
    let cut = sorter.sort(cutPacket.span, arrival: start, into: &producer)
    #expect(cut == .malformed)
    let other = sorter.sort(otherPacket.span, arrival: start, into: &producer)
    #expect(other == .other)
    let readings = take(from: &consumer)
    #expect(readings.map(\.kind) == [.malformed])
    #expect(readings.map(\.counter) == [3])
  }

  @Test func `samples that do not fit into the ring are reported later as an overflow`() {
    for room in 0...3 {
      let ends = Ring<Reading>.make(capacity: 8)
      var producer = ends.producer
      var consumer = ends.consumer
      var sorter = sorter()
      for _ in room..<8 {
        let isPushed = producer.push(
          Reading(kind: .linkLost, board: 0, stream: 0, arrival: start, counter: 0))
        #expect(isPushed)
      }
      let partial = sorter.sort(Self.packet.span, arrival: start, into: &producer)
      let full = sorter.sort(Self.packet.span, arrival: start, into: &producer)
      #expect(partial == .samples && full == .samples)
      let held = take(from: &consumer).filter { $0.kind != .linkLost }
      #expect(held.map(\.counter) == (0..<3).prefix(room).map { $0 })
      _ = sorter.sort(Self.packet.span, arrival: start, into: &producer)
      let rest = take(from: &consumer)
      #expect(rest.map(\.kind) == [.overflow, .sample, .sample, .sample])
      #expect(rest.map(\.counter) == [6 - UInt32(room), 6, 7, 8])
    }
  }

  @Test func `packets are counted even if another stream cannot be decoded`() {
    let ends = Ring<Reading>.make(capacity: 8)
    var producer = ends.producer
    var sorter = sorter()
    _ = sorter.sort(Self.packet.span, arrival: start, into: &producer)
    #expect(sorter.packets == [0, 1])
  }

  @Test
  func `the board's sample count for a stream is reported with the number of samples received`() {
    let ends = Ring<Reading>.make(capacity: 8)
    var producer = ends.producer
    var consumer = ends.consumer
    var sorter = PacketSorter(
      board: 4, streams: [nil, StreamDecoder(Self.sensor.samples, layout: .packed)],
      counters: [nil, 7])
    _ = sorter.sort(Self.packet.span, arrival: start, into: &producer)
    let answer: [UInt8] = [0x09, 0x84, 7, 0x0b, 1, 0, 0]
    let isCount = sorter.sortTally(answer.span, arrival: start, into: &producer)
    #expect(isCount)
    let foreign: [UInt8] = [0x09, 0x84, 8, 0x0b, 1, 0, 0]
    let isForeign = sorter.sortTally(foreign.span, arrival: start, into: &producer)
    #expect(!isForeign)
    let readings = take(from: &consumer)
    #expect(readings.map(\.kind) == [.sample, .sample, .sample, .tally])
    // The board produced 267 samples, which fill a whole number of packets, and three of them
    // arrived.
    #expect(readings.last?.counter == 267)
    #expect(readings.last?.x == 3)
    #expect(readings.last?.stream == 1)
  }

  @Test func `the board's sample count from the old link is reported before the new link begins`() {
    let ends = Ring<Reading>.make(capacity: 8)
    var producer = ends.producer
    var consumer = ends.consumer
    var sorter = PacketSorter(
      board: 4, streams: [StreamDecoder(Self.sensor.samples, layout: .packed)], counters: [7])
    sorter.restart(.restarted, [301], at: start, &producer)
    let readings = take(from: &consumer)
    #expect(readings.map(\.kind) == [.tally, .restarted])
    #expect(readings.map(\.counter) == [300, 0])
    #expect(readings.map(\.x) == [-1, 0])
  }
}
