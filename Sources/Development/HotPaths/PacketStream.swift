internal import BoardDriver
internal import MetaWearProtocol
internal import Recording
internal import RingBuffer
internal import Values

/// A stream with one layout of samples, and packets to decode.
public struct PacketStream {
  public let name: String
  let decoder: StreamDecoder
  /// The first bytes of each packet.
  public let header: [UInt8]
  public let reel: PacketReel

  private init(
    _ name: String, _ source: SampleSource, _ layout: StreamLayout, header: [UInt8],
    countLength: Int = 0
  ) {
    guard let decoder = StreamDecoder(source, layout: layout) else {
      preconditionFailure("\(name) does not fit its source")
    }
    self.name = name
    self.decoder = decoder
    self.header = header
    reel = PacketReel(
      header: header, countLength: countLength,
      valueLength: layout.samplesPerPacket * source.encoding.length)
  }

  /// One acceleration stream for each layout, and a quaternion stream.
  public static var all: [PacketStream] {
    let acceleration = Accelerometer(chip: .bmi270, revision: 0).samples
    return [
      PacketStream(
        "single", acceleration, .single, header: [0x03, 0x04]),
      PacketStream(
        "packed", acceleration, .packed, header: [0x03, 0x05]),
      PacketStream(
        "counted-pair", acceleration, .countedPair(processor: 1), header: [0x09, 0x03, 1],
        countLength: 4),
      PacketStream(
        "counted", acceleration, .counted(processor: 2, stampLength: 4), header: [0x09, 0x03, 2],
        countLength: 4),
      PacketStream(
        "timed", acceleration, .timed(processor: 3), header: [0x09, 0x03, 3], countLength: 4),
      PacketStream(
        "quaternion", SampleSource(.sensorFusion, 0x07, encoding: .quaternion), .single,
        header: [0x19, 0x07]),
    ]
  }

  public var samplesPerPacket: Int { decoder.layout.samplesPerPacket }

  /// Decodes the packets without publishing the samples.
  public var decoding: HotPath {
    HotPath(name, samplesPerUnit: samplesPerPacket) { [reel, decoder] packets in
      var decoder = decoder
      var batch = SampleBatch()
      var samples = 0
      let bytes = reel.bytes.span
      for number in 0..<packets {
        decode(bytes.extracting(reel.range(of: number)), with: &decoder, into: &batch)
        samples += batch.count
      }
      return samples
    }
  }

  /// Does all of the reader's work on a packet, from receiving it to receiving the next one.
  public var publishing: HotPath {
    let track = PublishingTrack(decoder, reel)
    return HotPath("\(name)-ring", samplesPerUnit: samplesPerPacket) { track.run($0) }
  }
}

/// Calls the decoder without inlining it, so that the batch contains the samples on return even if
/// nothing reads them.
///
/// A rejected packet yields no samples, which makes the benchmark fail.
@inline(never)
private func decode(
  _ packet: Span<UInt8>, with decoder: inout StreamDecoder, into batch: inout SampleBatch
) {
  try? decoder.decode(packet, into: &batch)
}

/// A ring of the reader's size, with a sorter before it and an idle recorder after it.
private final class PublishingTrack {
  private var ends = Ring<Reading>.make(capacity: ReaderThread.ringCapacity)
  private var sorter: PacketSorter
  private let reel: PacketReel

  init(_ decoder: StreamDecoder, _ reel: PacketReel) {
    sorter = PacketSorter(board: 0, streams: [decoder])
    self.reel = reel
    // Fill the ring once, so that no measurement includes the first use of its memory.
    _ = run(ReaderThread.ringCapacity / decoder.layout.samplesPerPacket + 1)
  }

  func run(_ packets: Int) -> Int {
    Self.publish(packets, of: reel, sorter: &sorter, &ends)
  }

  /// Drains the ring as often as the recorder would, long before it is full.
  private static func publish(
    _ packets: Int, of reel: PacketReel, sorter: inout PacketSorter,
    _ ends: inout RingEnds<Reading>
  ) -> Int {
    let bytes = reel.bytes.span
    var samples = 0
    for number in 0..<packets {
      _ = sorter.sort(
        bytes.extracting(reel.range(of: number)), arrival: BootTime(nanoseconds: Int64(number)),
        into: &ends.producer)
      if number % 1_024 == 1_023 { samples += ends.consumer.drain { _ in } }
    }
    return samples + ends.consumer.drain { _ in }
  }
}
