internal import MetaWearProtocol

/// Decodes every packet with every stream that a board offers, in every layout.
struct StreamCheck {
  // The list has one line per layout.
  private static let layouts: [StreamLayout] = [
    .single,
    .packed,
    .countedPair(processor: 0),
    .counted(processor: 0, stampLength: 4),
    .counted(processor: 1, stampLength: 1),
    .timed(processor: 1),
  ]

  /// A stream's decoder, and how the stream encodes its samples.
  private struct Stream {
    var decoder: StreamDecoder
    let encoding: SampleEncoding
  }

  private var streams: [Stream]
  private var batch = SampleBatch()

  init(_ modules: ModuleTable) {
    streams = []
    // Once a processor has handled the samples, it makes no difference which sensor they come from.
    // Layouts that need a processor are therefore checked only once per encoding.
    var processed: Set<SampleEncoding> = []
    for sensor in modules.sensors {
      // Setting up sensor fusion fails on a chip that does not support the required rates.
      guard let rate = sensor.rates.last, let setup = try? sensor.setup(rate: rate, range: nil)
      else { continue }
      let encoding = setup.samples.encoding
      let isNew = processed.insert(encoding).inserted
      for layout in Self.layouts where isNew || !layout.kind.needsProcessor {
        // Counters that will wrap around within a few packets.
        guard let decoder = StreamDecoder(setup.samples, layout: layout, firstCounter: .max - 2)
        else { continue }
        streams.append(Stream(decoder: decoder, encoding: encoding))
      }
    }
  }

  mutating func take(_ packet: [UInt8]) {
    for index in streams.indices {
      let isClaimed = streams[index].decoder.claims(packet.span)
      do throws(DecodeError) {
        try streams[index].decoder.decode(packet.span, into: &batch)
        hold(isClaimed, "a stream decodes only its own packets")
        checkBatch(of: streams[index])
      } catch {
        hold(batch.count == 0, "an unreadable packet produces no sample")
        hold(
          isClaimed == (error != .otherPacket),
          "only packets of other streams are rejected as foreign")
      }
    }
  }

  private func checkBatch(of stream: Stream) {
    hold(
      batch.count == stream.decoder.layout.samplesPerPacket,
      "a packet contains as many samples as its layout says")
    hold(batch.count <= SampleBatch.capacity, "a batch has space for a packet")
    for position in 1..<max(1, batch.count) {
      hold(
        batch[position].counter == batch[position - 1].counter &+ 1,
        "the samples of a packet are numbered consecutively")
    }
    guard case .float32 = stream.encoding.element else { return }
    for position in 0..<batch.count {
      let sample = batch[position]
      let values = [sample.x, sample.y, sample.z, sample.w].prefix(stream.encoding.axisCount)
      hold(
        values.allSatisfy { Float(bitPattern: UInt32(bitPattern: $0)).isFinite },
        "the output of sensor fusion is finite")
    }
  }
}
