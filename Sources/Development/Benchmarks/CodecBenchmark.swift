internal import ChunkFormat
internal import LinuxSystem
internal import Recording
internal import Simulation
internal import Values

extension Benchmark {
  /// Measures how fast columns are encoded into chunks and how fast the chunks are decoded. The
  /// sizes are compared with the data's entropy.
  public static let codec = Benchmark(
    name: "codec",
    summary: "encoding and decoding chunks of motion samples, compared with their entropy",
    unit: "pair", defaultCount: 40_000, defaultRepeats: 21,
    sides: {
      [("walk", GaitWearer(seed: 1) as any Wearer), ("rest", StillWearer())]
        .flatMap { name, wearer in CodecSides(name, wearer).all }
    })
}

/// A recording that is created the first time a side needs it.
private final class CodecRecording {
  lazy var chunks = SimulatedChunks.make(wearer, perSignal: perSignal)
  lazy var files = chunks.map { ChunkEncoder().encode($0) }
  lazy var entropy = ResidualEntropy.bytes(of: chunks)
  private let wearer: any Wearer
  private let perSignal: Int

  init(_ wearer: any Wearer, perSignal: Int) {
    self.wearer = wearer
    self.perSignal = perSignal
  }
}

/// Creates the benchmark's sides, which share one recording.
private struct CodecSides {
  private let name: String
  private let recording: CodecRecording

  /// The number of chunks per signal, large enough to measure the recording's entropy.
  private static let perSignal = 20

  init(_ name: String, _ wearer: any Wearer) {
    self.name = name
    recording = CodecRecording(wearer, perSignal: Self.perSignal)
  }

  var all: [Side] {
    [encoding, decoding, entropy]
  }

  /// The number of pairs in the recording. A pair consists of one sample from each signal.
  private var pairs: Int { Self.perSignal * Chunk.capacity }

  private var encoding: Side {
    side("encode") { [recording] in
      let encoder = ChunkEncoder()
      return recording.chunks.reduce(0) { $0 + encoder.encode($1).count }
    }
  }

  private var decoding: Side {
    side("decode") { [recording] in
      var bytes = 0
      for file in recording.files {
        guard let chunk = try? Chunk(decoding: file.span), chunk.count == Chunk.capacity else {
          return 0
        }
        bytes += file.count
      }
      return bytes
    }
  }

  /// Creates a side that processes the whole recording as many times as needed and scales the cost
  /// to the requested number of pairs.
  private func side(_ part: String, _ work: @escaping () -> Int) -> Side {
    Side("\(name)-\(part)", samplesPerUnit: 2) {
      [pairs, recording] units throws(MeasurementError) in
      let rounds = (units + pairs - 1) / pairs
      // Create the recording before the measurement starts.
      _ = recording.files
      var bytes = 0
      let start = BootClock.now()
      for _ in 0..<rounds { bytes = work() }
      let time = BootClock.now().seconds(since: start) * 1e9
      return Self.work(units, pairs, bytes: Double(bytes), nanoseconds: time / Double(rounds))
    }
  }

  /// Computes a lower bound for the encoded size in bytes. This side is not an encoder.
  private var entropy: Side {
    Side("\(name)-entropy", samplesPerUnit: 2) {
      [pairs, recording] units throws(MeasurementError) in
      Self.work(units, pairs, bytes: recording.entropy, nanoseconds: nil)
    }
  }

  private static func work(
    _ units: Int, _ pairs: Int, bytes: Double, nanoseconds: Double?
  ) -> Side.Work {
    let part = Double(units) / Double(pairs)
    return Side.Work(
      samples: 2 * units, nanoseconds: nanoseconds.map { $0 * part }, bytes: bytes * part)
  }
}
