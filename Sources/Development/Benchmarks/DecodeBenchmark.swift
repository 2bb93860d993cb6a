internal import HotPaths

extension Benchmark {
  /// Notifications into samples, alone and with publication into the ring.
  public static let decode = Benchmark(
    name: "decode",
    summary: "notifications into samples, and on into the ring as the reader does it",
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
  /// Decoding of the same packets by the plain decoder; `nil` where it lacks the layout.
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
