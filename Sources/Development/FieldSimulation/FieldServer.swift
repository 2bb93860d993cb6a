internal import LinuxSystem
internal import Recording
internal import Simulation
internal import Upload
internal import Values

/// The upload destination, behind a simulated network. It provides the ground truth for the data
/// that arrived at the server.
// Safety: all users of this object run on a single kernel thread.
final class FieldServer: Destination, @unchecked Sendable {
  /// The ways in which the network and the server can behave.
  enum State: String, Sendable, CaseIterable {
    case healthy
    /// The server is unreachable: calls fail immediately.
    case unreachable
    /// Calls fail after half a minute.
    case hanging
    /// The server responds with an error.
    case failing
    /// The server stores the data, but its responses are lost.
    case answersLost = "responses lost"
    /// Every second call fails, although the server stores one of the call's chunks.
    case flaky
    /// The server rejects the token.
    case rejecting
  }

  private(set) var chunks: [UniqueID: [UInt8]] = [:]
  /// The number of times that each session's record was stored.
  private(set) var records: [UniqueID: Int] = [:]
  /// The number of chunks that arrived again with different bytes.
  private(set) var conflicts = 0
  /// The number of records that arrived before all chunks of their session had arrived.
  private(set) var earlyRecords = 0
  var state = State.healthy
  private var calls = 0

  let traits = DestinationTraits(chunksPerCall: 16, bytesPerCall: 1 << 20, calls: 3)

  func store(_ chunks: [OutgoingChunk], of session: any OutgoingSession) async -> [Verdict] {
    calls += 1
    if let setback = await obstacle() {
      // Data may arrive before a call fails.
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

  /// Waits as long as a call takes. Returns the reason if the call fails.
  private func obstacle() async -> Setback? {
    try? await Pause.seconds(state == .hanging ? 30 : state == .unreachable ? 0.01 : 0.2)
    switch state {
    case .healthy: return nil
    case .unreachable, .hanging, .answersLost: return Setback(.unavailable, "no response")
    case .failing: return Setback(.faulty, "error 500")
    case .flaky: return calls.isMultiple(of: 2) ? Setback(.faulty, "error 503") : nil
    case .rejecting: return Setback(.rejected, "unknown token")
    }
  }
}
