internal import Recording
public import Storage
public import Values

/// Prepares the envelopes of sessions before they are requested, a few chunks at a time.
///
/// A user who lists the sessions will probably open one of the newest. A user who opens a session
/// will probably view its charts, so that session is prepared first.
public struct EnvelopePreparation: Sendable {
  /// Number of sessions to prepare when the sessions are listed, newest first.
  private static let newest = 8
  /// Number of chunks to read per step. A step takes milliseconds.
  private static let chunksOfStep = 16
  private let stepsOfList: Int

  private var opened: [EnvelopeWarming] = []
  /// Sessions from the list that have yet to be prepared. The last element is prepared next.
  private var listed: [EnvelopeWarming] = []
  private var stepsLeft = 0
  /// Ended sessions that were prepared, or for which no step was left. They are skipped when
  /// sessions are listed again.
  private var settled: Set<UniqueID> = []
  private var isListed = false

  /// - Parameter steps: the maximum number of steps per list. The default usually suffices for
  ///   eight hours of eight signals at 100 Hz. Without a limit, listing recordings with many boards
  ///   would keep a small computer busy for minutes. Older sessions would then evict the newest
  ///   from the cache.
  public init(steps: Int = 720) {
    stepsOfList = steps
  }

  /// Requests preparation of the newest sessions, because a user is listing the sessions.
  public mutating func list() { isListed = true }

  /// Requests that a session be prepared before the listed ones, because a user is opening it.
  public mutating func open(_ session: UniqueID) {
    guard opened.last?.session != session else { return }
    opened.removeAll { $0.session == session }
    opened.append(EnvelopeWarming(session: session))
  }

  public var isIdle: Bool { opened.isEmpty && listed.isEmpty && !isListed }

  /// Prepares a few chunks of one session. An error ends the preparation of that session and is not
  /// reported: a later request for the session's envelope will report it.
  public mutating func step(_ reader: borrowing StoreReader, _ cache: inout EnvelopeCache) {
    if isListed { takeList(reader) }
    if let warming = opened.popLast() {
      if let rest = Self.step(warming, reader, &cache) { opened.append(rest) }
    } else if let warming = listed.popLast() {
      stepsLeft -= 1
      if let rest = Self.step(warming, reader, &cache) {
        listed.append(rest)
      } else {
        settle(warming.session, reader)
      }
      if stepsLeft == 0 {
        for warming in listed { settle(warming.session, reader) }
        listed = []
      }
    }
  }

  private mutating func takeList(_ reader: borrowing StoreReader) {
    isListed = false
    guard listed.isEmpty, let sessions = try? reader.sessions(newest: Self.newest) else { return }
    listed = sessions.map(\.id)
      .filter { !settled.contains($0) }.map { EnvelopeWarming(session: $0) }
    stepsLeft = stepsOfList
  }

  private static func step(
    _ warming: EnvelopeWarming, _ reader: borrowing StoreReader, _ cache: inout EnvelopeCache
  ) -> EnvelopeWarming? {
    var warming = warming
    let hasMore = (try? warming.step(chunks: chunksOfStep, reader, &cache)) ?? false
    return hasMore ? warming : nil
  }

  private mutating func settle(_ id: UniqueID, _ reader: borrowing StoreReader) {
    guard let session = try? reader.session(id), session.end != nil else { return }
    settled.insert(id)
  }
}
