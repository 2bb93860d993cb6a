internal import LinuxSystem
internal import Recording
internal import Upload
internal import Values

/// Simulates the network to a destination. The network can lose requests and responses.
final class DemoNetwork: Destination {
  enum State: Sendable {
    case away
    /// Requests arrive at the destination, but the responses are lost.
    case losingAnswers
    case there
  }

  /// The chunks that arrived at the destination.
  struct Arrivals: Sendable {
    var chunks: Set<UniqueID> = []
    /// The number of chunks that were sent again because the response to the first request was
    /// lost.
    var repeated = 0
  }

  private static let callSeconds = 0.2

  private let destination: any Destination
  private let state = Guarded(State.away)
  private let content = Guarded(Arrivals())

  init(to destination: any Destination) {
    self.destination = destination
  }

  var traits: DestinationTraits { destination.traits }

  var arrivals: Arrivals { content.withLock { $0 } }

  func change(to state: State) {
    self.state.withLock { $0 = state }
  }

  func store(_ chunks: [OutgoingChunk], of session: any OutgoingSession) async -> [Verdict] {
    guard await isThere() else { return chunks.map { _ in .failed(Self.noNetwork) } }
    let verdicts = await destination.store(chunks, of: session)
    content.withLock { content in
      for (chunk, verdict) in zip(chunks, verdicts) where verdict == .stored {
        if !content.chunks.insert(chunk.id).inserted { content.repeated += 1 }
      }
    }
    return isAnswerLost() ? chunks.map { _ in .failed(Self.noAnswer) } : verdicts
  }

  func finish(_ session: any OutgoingSession) async -> Verdict {
    guard await isThere() else { return .failed(Self.noNetwork) }
    let verdict = await destination.finish(session)
    return isAnswerLost() ? .failed(Self.noAnswer) : verdict
  }

  func test() async -> Setback? {
    await isThere() ? await destination.test() : Self.noNetwork
  }

  private static let noNetwork = Setback(.unavailable, "the network is down")
  private static let noAnswer = Setback(.unavailable, "no response")

  /// Waits for the duration of a request. Returns whether the network is up.
  private func isThere() async -> Bool {
    try? await Pause.seconds(Self.callSeconds)
    return state.withLock { $0 != .away }
  }

  private func isAnswerLost() -> Bool { state.withLock { $0 == .losingAnswers } }
}
