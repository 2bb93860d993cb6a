internal import LinuxSystem
internal import Recording
internal import Upload
internal import Values

/// The network to a destination, which may lose calls and answers.
final class DemoNetwork: Destination {
  /// The state of the network.
  enum State: Sendable {
    case away
    /// Calls arrive, and their answers are lost on the way back.
    case losingAnswers
    case there
  }

  /// The chunks that arrived.
  struct Arrivals: Sendable {
    var chunks: Set<UniqueID> = []
    /// Number of repeated chunks, sent again because the answer to the first call was lost.
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

  private static let noNetwork = Setback(.unavailable, "there is no network")
  private static let noAnswer = Setback(.unavailable, "there is no answer")

  /// Waits as long as a call takes.
  private func isThere() async -> Bool {
    try? await Pause.seconds(Self.callSeconds)
    return state.withLock { $0 != .away }
  }

  private func isAnswerLost() -> Bool { state.withLock { $0 == .losingAnswers } }
}
