@testable import Benchmarks
import ChunkFormat
import Recording
import Simulation
import TestSupport
import Testing
import Values

/// The chunk size of a simulated recording, which is identical on every machine.
@Suite(.computation) struct CodecBenchmarkTests {
  private func bytesPerPair(_ chunks: [Chunk]) -> Double {
    let encoder = ChunkEncoder()
    let bytes = chunks.reduce(0) { $0 + encoder.encode($1).count }
    return Double(bytes) / Double(chunks.count / 2 * Chunk.capacity)
  }

  private func entropyPerPair(_ chunks: [Chunk]) -> Double {
    ResidualEntropy.bytes(of: chunks) / Double(chunks.count / 2 * Chunk.capacity)
  }

  @Test func `two samples, one from each of two sensors, take at most 7.5 bytes during a walk`() {
    let chunks = SimulatedChunks.make(GaitWearer(seed: 1), perSignal: 2)
    #expect(chunks.map(\.count) == [Int](repeating: Chunk.capacity, count: 4))
    #expect(Set(chunks.map(\.stream.signal)).count == 2)
    #expect(chunks.allSatisfy { $0.gaps.isEmpty })
    #expect(bytesPerPair(chunks) < 7.5)
  }

  @Test
  func `samples of a board at rest take little more space than the entropy of their noise`() {
    let chunks = SimulatedChunks.make(StillWearer(), perSignal: 2)
    #expect(bytesPerPair(chunks) < 1.35 * entropyPerPair(chunks))
  }

  @Test func `entropy is computed from the residuals of the best of four predictors`() {
    var chunk = SimulatedChunks.make(StillWearer(), perSignal: 1)[0]
    // A parabola leaves no residual. A signal that alternates between eight levels leaves residuals
    // of three bits each.
    let count = Int32(chunk.count)
    chunk.columns = [(0..<count).map { $0 * $0 }, (0..<count).map { $0 % 8 * 17 % 8 }]
    chunk.arrivals = (0..<chunk.count).map { BootTime(nanoseconds: Int64($0 / 2) * 20_000_000) }
    let bytes = ResidualEntropy.bytes(of: [chunk])
    #expect(bytes <= Double(count) * 3 / 8 && bytes >= 0)
  }

  @Test func `the benchmark 'rest-decode' succeeds with a count smaller than one chunk`() {
    let outcome = BenchCommand.run(["codec", "--once", "rest-decode", "--count", "600"])
    #expect(outcome.status == 0, "\(outcome.complaint)")
  }
}
