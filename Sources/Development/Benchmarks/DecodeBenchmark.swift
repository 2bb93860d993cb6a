internal import HotPaths

extension Benchmark {
  /// Measures the time needed to decode notifications into samples, with and without publishing the
  /// samples in the ring.
  public static let decode = Benchmark(
    name: "decode",
    summary: "decoding notifications, and publishing the samples in the ring as the reader does",
    unit: "packet", defaultCount: 2_000, defaultRepeats: 2_001,
    sides: {
      PacketStream.all.flatMap { stream in
        let naive = stream.naive
        return [Side(stream.decoding, baseline: naive?.name), Side(stream.publishing)]
          + (naive.map { [$0] } ?? [])
      }
    })
}

extension Side {
  fileprivate init(_ path: HotPath, baseline: String? = nil) {
    self.init(path.name, samplesPerUnit: path.samplesPerUnit, baseline: baseline) { path.run($0) }
  }
}

extension PacketStream {
  /// The side that decodes the same packets with the naive decoder; `nil` if that decoder does not
  /// support the layout.
  fileprivate var naive: Side? {
    guard ["single", "packed"].contains(name) else { return nil }
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
