import LinuxSystem
import Recording
import Upload
import Values

/// A destination that stores the chunks and records sent to it, and gives scripted replies.
final class ScriptedDestination: Destination {
  struct State {
    var chunks: [UniqueID: [UInt8]] = [:]
    var order: [UniqueID] = []
    var records: [UniqueID: [SessionRecord]] = [:]
    var fixes: [UniqueID: Int] = [:]
    var calls = 0
    var underWay = 0
    var mostUnderWay = 0
    /// The number of chunks that arrived again with different bytes.
    var altered = 0
    /// The number of records that arrived before all their chunks had arrived.
    var early = 0
  }

  typealias Script = @Sendable (_ call: Int, _ chunk: OutgoingChunk) -> Verdict?

  let traits: DestinationTraits
  private let script: Script
  private let finishing: @Sendable (_ call: Int) -> Verdict?
  private let guarded = Guarded(State())

  /// Creates a destination that stores everything it receives, unless its script says otherwise.
  init(
    _ traits: DestinationTraits = DestinationTraits(chunksPerCall: 8, calls: 2),
    _ script: @escaping Script = { _, _ in nil },
    finishing: @escaping @Sendable (Int) -> Verdict? = { _ in nil }
  ) {
    self.traits = traits
    self.script = script
    self.finishing = finishing
  }

  var state: State { guarded.withLock { copy($0) } }

  /// Returns a copy with its own storage, so that threads do not share any.
  private func copy(_ state: State) -> State {
    var copy = state
    copy.chunks = Dictionary(uniqueKeysWithValues: state.chunks.map { ($0.key, Array($0.value)) })
    copy.order = state.order.map { $0 }
    return copy
  }

  func store(_ chunks: [OutgoingChunk], of session: any OutgoingSession) async -> [Verdict] {
    let call = guarded.withLock { state in
      state.calls += 1
      state.underWay += 1
      state.mostUnderWay = max(state.mostUnderWay, state.underWay)
      return state.calls
    }
    await Task.yield()
    return guarded.withLock { state in
      state.underWay -= 1
      return chunks.map { chunk in
        if let verdict = script(call, chunk), verdict != .stored { return verdict }
        if let known = state.chunks[chunk.id] {
          if known != chunk.bytes { state.altered += 1 }
        } else {
          state.order.append(chunk.id)
        }
        state.chunks[chunk.id] = chunk.bytes
        return .stored
      }
    }
  }

  func finish(_ session: any OutgoingSession) async -> Verdict {
    do {
      let record = try await session.record()
      var count = 0
      while true {
        let fixes = try await session.fixes(from: count, limit: 2)
        count += fixes.count
        if fixes.isEmpty { break }
      }
      return guarded.withLock { [count] state in
        state.calls += 1
        if let verdict = finishing(state.calls), verdict != .stored { return verdict }
        for entry in record.streams.flatMap(\.chunks) where state.chunks[entry.id] == nil {
          state.early += 1
        }
        state.records[record.session.id, default: []].append(record)
        state.fixes[record.session.id] = count
        return .stored
      }
    } catch {
      return .failed(Setback(.unavailable, "\(error)"))
    }
  }

  func test() async -> Setback? { nil }
}
