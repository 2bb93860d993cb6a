internal import BoardDriver
internal import MetaWearProtocol
internal import Recording
internal import RingBuffer
internal import Values

extension Benchmark {
  /// Notifications into samples, alone and with publication into the ring.
  public static let decode = Benchmark(
    name: "decode",
    summary: "notifications into samples, and on into the ring as the reader does it",
    unit: "packet", defaultCount: 2_000, defaultRepeats: 2_001,
    sides: {
      DecodedStream.all.flatMap { stream in
        [stream.decoding, stream.publishing] + (stream.naive.map { [$0] } ?? [])
      }
    })
}

/// One layout of samples, with its packets.
private struct DecodedStream {
  let name: String
  let decoder: StreamDecoder
  let header: [UInt8]
  let reel: PacketReel
  /// Whether the plain decoder supports the layout too.
  let hasBaseline: Bool

  private init(
    _ name: String, _ source: SampleSource, _ layout: StreamLayout, header: [UInt8],
    countLength: Int = 0, hasBaseline: Bool = false
  ) {
    guard let decoder = StreamDecoder(source, layout: layout) else {
      preconditionFailure("\(name) does not fit its source")
    }
    self.name = name
    self.decoder = decoder
    self.header = header
    self.hasBaseline = hasBaseline
    reel = PacketReel(
      header: header, countLength: countLength,
      valueLength: layout.samplesPerPacket * source.encoding.length)
  }

  static var all: [DecodedStream] {
    let acceleration = Accelerometer(chip: .bmi270, revision: 0).samples
    return [
      DecodedStream(
        "single", acceleration, .single, header: [0x03, 0x04], hasBaseline: true),
      DecodedStream(
        "packed", acceleration, .packed, header: [0x03, 0x05], hasBaseline: true),
      DecodedStream(
        "counted-pair", acceleration, .countedPair(processor: 1), header: [0x09, 0x03, 1],
        countLength: 4),
      DecodedStream(
        "counted", acceleration, .counted(processor: 2, stampLength: 4), header: [0x09, 0x03, 2],
        countLength: 4),
      DecodedStream(
        "timed", acceleration, .timed(processor: 3), header: [0x09, 0x03, 3], countLength: 4),
    ]
  }

  private var samplesPerPacket: Int { decoder.layout.samplesPerPacket }

  /// Decoding by itself.
  var decoding: Side {
    Side(
      name, samplesPerUnit: samplesPerPacket, baseline: hasBaseline ? "\(name)-naive" : nil
    ) { [reel, decoder] packets in
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

  /// The reader's whole work on each packet between receiving it and the next.
  var publishing: Side {
    let track = PublishingTrack(decoder, reel)
    return Side("\(name)-ring", samplesPerUnit: samplesPerPacket) { track.run($0) }
  }

  /// Decoding of the same packets by the plain decoder.
  var naive: Side? {
    guard hasBaseline else { return nil }
    return Side("\(name)-naive", samplesPerUnit: samplesPerPacket) {
      [header, reel, samplesPerPacket] packets in
      var samples = 0
      let decoder = NaiveDecoder(header: header, samplesPerPacket: samplesPerPacket) { sample in
        samples += sample.values.count / 3
      }
      for number in 0..<packets {
        try? decoder.decode(reel.bytes[reel.range(of: number)])
      }
      return samples
    }
  }
}

/// Calls the decoder without inlining it into the caller. The samples must be in the batch when
/// this returns, even if nothing reads them.
///
/// A refused packet leaves no samples, and its side then fails.
@inline(never)
private func decode(
  _ packet: Span<UInt8>, with decoder: inout StreamDecoder, into batch: inout SampleBatch
) {
  try? decoder.decode(packet, into: &batch)
}

/// A ring of the reader's size with a sorter before it and an idle recorder after it.
private final class PublishingTrack {
  private var ends = Ring<Reading>.make(capacity: ReaderThread.ringCapacity)
  private var sorter: PacketSorter
  private let reel: PacketReel

  init(_ decoder: StreamDecoder, _ reel: PacketReel) {
    sorter = PacketSorter(board: 0, streams: [decoder])
    self.reel = reel
    // Once round the ring, so that no turn pays for the first use of memory.
    _ = run(ReaderThread.ringCapacity / decoder.layout.samplesPerPacket + 1)
  }

  func run(_ packets: Int) -> Int {
    Self.publish(packets, of: reel, sorter: &sorter, &ends)
  }

  /// Drains the ring as often as the recorder would: long before it is full.
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
