internal import Envelope
internal import Recording
internal import Storage
internal import Values

/// The sessions whose envelopes are made before somebody asks for them, a little at a time.
///
/// Who lists the sessions is about to open one of the newest. Who opened one is about to look at
/// its charts, so it goes first.
struct EnvelopePreparation {
  /// Of a list, so many are prepared.
  private static let newest = 8

  /// Those to be prepared; the last one goes first.
  private var waiting: [EnvelopeWarming] = []
  /// Those that are prepared and cannot grow any more.
  private var ready: Set<UniqueID> = []
  private var isListed = false

  /// Somebody lists the sessions.
  mutating func list() { isListed = true }

  /// Somebody opens a session.
  mutating func open(_ session: UniqueID) {
    guard !ready.contains(session), waiting.last?.session != session else { return }
    waiting.removeAll { $0.session == session }
    waiting.append(EnvelopeWarming(session: session))
  }

  /// Whether there is nothing to do.
  var isIdle: Bool { waiting.isEmpty && !isListed }

  /// Prepares some chunks. An obstacle ends the preparation of a session: it shows when somebody
  /// asks for its envelope.
  mutating func step(_ reader: borrowing StoreReader, _ cache: inout EnvelopeCache) {
    if isListed {
      isListed = false
      let known = Set(waiting.map(\.session)).union(ready)
      let fresh = ((try? reader.sessions()) ?? []).suffix(Self.newest)
        .filter { !known.contains($0.id) }
      waiting.insert(contentsOf: fresh.map { EnvelopeWarming(session: $0.id) }, at: 0)
    }
    guard var warming = waiting.popLast() else { return }
    guard let hasMore = try? warming.step(chunks: 16, reader, &cache) else { return }
    if hasMore {
      waiting.append(warming)
    } else if let session = try? reader.session(warming.session), session.end != nil {
      ready.insert(session.id)
    }
  }
}
