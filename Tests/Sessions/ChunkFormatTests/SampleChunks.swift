import Recording
import TestSupport
import Values

enum SampleChunks {
  /// A chunk of whole numbers without ticks, with two gaps and two fixes.
  static var plain: Chunk {
    let count = 40
    let counters = (0..<count).map { index in
      // The sample numbers wrap around in the middle of the chunk and skip three samples.
      UInt32(truncatingIfNeeded: 4_294_967_280 + index + (index >= 25 ? 3 : 0))
    }
    let start: Int64 = 86_400_000_000_000
    return Chunk(
      id: UniqueID(high: 0x0011_2233_4455_4677, low: 0x8899_aabb_ccdd_eeff),
      session: UniqueID(high: 0x0102_0304_0506_4708, low: 0x890a_0b0c_0d0e_0f10),
      bootID: UniqueID(high: 0xfedc_ba98_7654_4210, low: 0x8123_4567_89ab_cdef),
      board: BoardIdentity(
        address: BoardAddress(value: 0xc84b_aa97_5005), name: "Brücke 3 \u{1f309}",
        model: "MetaMotion S", firmware: "1.7.2"),
      stream: StreamDescription(
        signal: "acceleration", unit: "g", countsPerUnit: 16_384, rate: 100,
        lossAccounting: .counted),
      sequence: 7,
      clock: Chunk.Clock(first: BootTime(nanoseconds: start), period: 10_000_123.75),
      counters: counters,
      arrivals: (0..<count).map { index in
        BootTime(nanoseconds: start + Int64(index / 3) * 30_000_000 + Int64(index * 7_919 % 1_000))
      },
      columns: [
        (0..<count).map { Int32($0 * $0 - 300) },
        (0..<count).map { Int32($0.isMultiple(of: 2) ? -32_768 : 32_767) },
        [Int32](repeating: 16_384, count: count),
      ],
      gaps: [
        Gap(
          start: BootTime(nanoseconds: start + 240_000_000),
          end: BootTime(nanoseconds: start + 280_000_000), lost: 3, isEstimate: false,
          reason: .link),
        Gap(
          start: BootTime(nanoseconds: start - 5), end: BootTime(nanoseconds: start),
          lost: .max, isEstimate: true, reason: .disconnected),
      ],
      fixes: [
        Fix(
          arrival: BootTime(nanoseconds: start + 100_000_000),
          utc: UTCTime(nanoseconds: 1_777_887_000_125_000_000), latitude: 50.0830467,
          longitude: -14.4113883, altitudeMSL: 0, geoidSeparation: 44.5, speed: 0.25, track: 359.9,
          hdop: 0.8, satellites: 0, isThreeDimensional: true, quality: .realTimeKinematic),
        Fix(
          arrival: BootTime(nanoseconds: start + 1_100_000_000),
          utc: UTCTime(nanoseconds: -1), latitude: -0.0, longitude: 180, quality: .simulated),
      ])
  }

  /// A chunk of floats with the board's ticks and named axes.
  static var stamped: Chunk {
    var chunk = plain
    chunk.sequence = 8
    chunk.stream = StreamDescription(
      signal: "euler", unit: "°", axes: ["pitch", "roll", "yaw"], rawForm: .float,
      countsPerUnit: 1, rate: 100, lossAccounting: .estimated, hasBoardTicks: true)
    chunk.ticks = chunk.counters.indices.map { index in
      // The ticks wrap around in the middle of the chunk and repeat one value.
      UInt32(truncatingIfNeeded: 4_294_967_200 + index * 7 - (index == 9 ? 7 : 0))
    }
    chunk.columns = (0..<3).map { axis in
      chunk.counters.indices.map { index in
        let angle = Float(index - 20) * 8.1 + Float(axis) / 3
        return Int32(bitPattern: angle.bitPattern)
      }
    }
    return chunk
  }

  /// The chunk stored in `golden-v1.chunk`. It has columns in both encodings, every predictor, and
  /// some decimal fixes. The tests compare the file with this chunk, so neither may change.
  static var golden: Chunk {
    var chunk = plain
    chunk.sequence = 9
    chunk.stream.hasBoardTicks = true
    let count = 200
    let start = chunk.clock.first.nanoseconds
    chunk.counters = (0..<count).map {
      UInt32(truncatingIfNeeded: 4_294_967_200 + $0 + $0 / 90 * 3)
    }
    chunk.ticks = (0..<count).map { UInt32(truncatingIfNeeded: 7 * $0 + $0 / 6) }
    var noise = SeededGenerator(seed: 3)
    chunk.arrivals = (0..<count).map { _ in BootTime(nanoseconds: 0) }
    for packet in 0..<count / 2 {
      let late = Int64.random(in: 0..<300, using: &noise) * 1_000
      let arrival = BootTime(nanoseconds: start + Int64(packet) * 20_000_000 + late)
      chunk.arrivals[2 * packet] = arrival
      chunk.arrivals[2 * packet + 1] = arrival
    }
    chunk.columns = [
      (0..<count).map { index in
        // Values that stay flat, rise, follow a curve, and have a spike in the middle.
        let index = Int32(index)
        let bend = index > 80 ? (index - 80) * (index - 80) / 3 : 0
        return (index == 100 ? 20_000 : bend) + Int32.random(in: -8...8, using: &noise)
      },
      (0..<count).map { Int32($0 * 300 % 20_000) + Int32.random(in: -300...300, using: &noise) },
      (0..<count).map { -16_384 + Int32($0 / 40) },
    ]
    // Negative zero cannot be encoded as a decimal.
    chunk.fixes[1].latitude = -12.5
    chunk.fixes += (0..<8).map { second in
      let minutes = 4.98280 + Double(second * second) * 0.00021
      return Fix(
        arrival: BootTime(nanoseconds: start + Int64(second) * 1_000_000_000 + 81_000_000),
        utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000 + Int64(second) * 1_000_000_000),
        latitude: 50 + (minutes * 1e5).rounded() / 1e5 / 60, longitude: 14.4113883,
        altitudeMSL: 231.4 + Double(second), speed: Double(second * 7 % 5) / 8, hdop: 0.9,
        satellites: 9, isThreeDimensional: true,
        error: second < 2
          ? nil
          : Fix.ErrorEstimate(
            horizontal: 3.5 + Double(second) / 4, vertical: second < 5 ? nil : 7.25,
            basis: second < 7 ? .dilution : .daemon),
        followsLoss: second == 4)
    }
    return chunk
  }

  /// A chunk of a few samples with ticks, for exhaustive tests.
  static var small: Chunk {
    var chunk = stamped
    chunk.counters = Array(chunk.counters.prefix(4))
    chunk.arrivals = Array(chunk.arrivals.prefix(4))
    chunk.ticks = Array(chunk.ticks.prefix(4))
    chunk.columns = chunk.columns.map { Array($0.prefix(4)) }
    return chunk
  }

  /// Returns a random chunk of any shape with any values.
  static func random(using generator: inout some RandomNumberGenerator) -> Chunk {
    var chunk = plain
    let count =
      [0, 1, 2, Int.random(in: 3...300, using: &generator), Chunk.capacity]
      .randomElement(using: &generator) ?? 0
    let spread = Int64(1) << Int64.random(in: 0...62, using: &generator)
    chunk.sequence = .random(in: .min ... .max, using: &generator)
    chunk.counters = (0..<count).map { _ in .random(in: .min ... .max, using: &generator) }
    chunk.arrivals = (0..<count).map { _ in
      BootTime(nanoseconds: .random(in: -spread...spread, using: &generator))
    }
    chunk.stream.axes = Array(
      ["", "Größe", "z", "a,b\n"].shuffled(using: &generator)
        .prefix(Int.random(in: 1...4, using: &generator)))
    chunk.stream.rawForm = Bool.random(using: &generator) ? .float : .integer
    chunk.stream.hasBoardTicks = chunk.stream.axisCount < 4 && Bool.random(using: &generator)
    if chunk.stream.hasBoardTicks {
      chunk.ticks = (0..<count).map { _ in .random(in: .min ... .max, using: &generator) }
    }
    let bound = Int32(truncatingIfNeeded: min(spread, Int64(Int32.max)))
    chunk.columns = (0..<chunk.stream.axisCount).map { _ in
      (0..<count).map { _ in
        bound == Int32.max
          ? .random(in: .min ... .max, using: &generator)
          : .random(in: -bound...bound, using: &generator)
      }
    }
    chunk.clock.period = .random(in: 0...1e9, using: &generator)
    chunk.stream.countsPerUnit = .random(in: 0.001...1e6, using: &generator)
    chunk.stream.range =
      Bool.random(using: &generator) ? .random(in: 0.001...1e6, using: &generator) : nil
    chunk.gaps = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
      Gap(
        start: BootTime(nanoseconds: .random(in: .min ... .max, using: &generator)),
        end: BootTime(nanoseconds: .random(in: .min ... .max, using: &generator)),
        lost: .random(in: .min ... .max, using: &generator),
        isEstimate: .random(using: &generator),
        reason: LossReason.allCases.randomElement(using: &generator) ?? .link)
    }
    chunk.fixes = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
      fix(using: &generator)
    }
    return chunk
  }

  private static func fix(using generator: inout some RandomNumberGenerator) -> Fix {
    func perhaps(_ generator: inout some RandomNumberGenerator) -> Double? {
      Bool.random(using: &generator) ? .random(in: -1e6...1e6, using: &generator) : nil
    }
    return Fix(
      arrival: BootTime(nanoseconds: .random(in: .min ... .max, using: &generator)),
      utc: UTCTime(nanoseconds: .random(in: .min ... .max, using: &generator)),
      latitude: .random(in: -90...90, using: &generator),
      longitude: .random(in: -180...180, using: &generator),
      altitudeMSL: perhaps(&generator), geoidSeparation: perhaps(&generator),
      speed: perhaps(&generator), track: perhaps(&generator), hdop: perhaps(&generator),
      satellites: Bool.random(using: &generator) ? .random(in: 0...255, using: &generator) : nil,
      isThreeDimensional: .random(using: &generator),
      quality: Fix.Quality(rawValue: .random(in: 1...8, using: &generator)) ?? .manual,
      error: perhaps(&generator).map { horizontal in
        Fix.ErrorEstimate(
          horizontal: horizontal, vertical: perhaps(&generator),
          basis: [.reported, .dilution, .daemon].randomElement(using: &generator) ?? .reported)
      }, followsLoss: .random(using: &generator))
  }
}
