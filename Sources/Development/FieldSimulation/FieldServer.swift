internal import LinuxSystem
internal import Recording
internal import Simulation
internal import Upload
internal import Values

/// The other end of uploads, behind a network: the truth about the data that arrived there.
// Safety: one thread of the kernel runs everything that uses this object.
final class FieldServer: Destination, @unchecked Sendable {
  /// Behaviour of the network and the server.
  enum State: String, Sendable, CaseIterable {
    case healthy
    /// It cannot be reached: calls fail at once.
    case unreachable
    /// Calls fail after half a minute.
    case hanging
    /// It answers with an error of its own.
    case failing
    /// It stores, but its answers are lost.
    case answersLost = "its answers lost"
    /// Every second call fails, after one chunk was stored.
    case flaky
    /// It does not know us.
    case rejecting
  }

  /// Chunks by id, with their bytes.
  private(set) var chunks: [UniqueID: [UInt8]] = [:]
  /// Number of times that each session's record was stored.
  private(set) var records: [UniqueID: Int] = [:]
  /// Chunks that arrived again with other bytes.
  private(set) var conflicts = 0
  /// Records that came before all chunks of their session had arrived.
  private(set) var earlyRecords = 0
  var state = State.healthy
  private var calls = 0

  let traits = DestinationTraits(chunksPerCall: 16, bytesPerCall: 1 << 20, calls: 3)

  func store(_ chunks: [OutgoingChunk], of session: any OutgoingSession) async -> [Verdict] {
    calls += 1
    if let setback = await obstacle() {
      // Bytes may have arrived before a call fails.
      if state == .answersLost { chunks.forEach(keep) }
      if state == .flaky, let first = chunks.first { keep(first) }
      return chunks.map { _ in .failed(setback) }
    }
    chunks.forEach(keep)
    return chunks.map { _ in .stored }
  }

  func finish(_ session: any OutgoingSession) async -> Verdict {
    calls += 1
    if let setback = await obstacle() { return .failed(setback) }
    do {
      let record = try await session.record()
      records[record.session.id, default: 0] += 1
      let listed = record.streams.flatMap(\.chunks).map(\.id)
      if listed.contains(where: { chunks[$0] == nil }) { earlyRecords += 1 }
      return .stored
    } catch {
      return .failed(Setback(reading: error))
    }
  }

  func test() async -> Setback? { await obstacle() }

  private func keep(_ chunk: OutgoingChunk) {
    if let known = chunks[chunk.id] {
      if known != chunk.bytes { conflicts += 1 }
    } else {
      chunks[chunk.id] = chunk.bytes
    }
  }

  /// Waits as long as a call takes, and returns the reason it fails.
  private func obstacle() async -> Setback? {
    try? await Pause.seconds(state == .hanging ? 30 : state == .unreachable ? 0.01 : 0.2)
    switch state {
    case .healthy: return nil
    case .unreachable, .hanging, .answersLost: return Setback(.unavailable, "no answer")
    case .failing: return Setback(.faulty, "error 500")
    case .flaky: return calls.isMultiple(of: 2) ? Setback(.faulty, "error 503") : nil
    case .rejecting: return Setback(.rejected, "unknown token")
    }
  }
}
