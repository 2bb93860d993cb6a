internal import Recording
public import Storage
public import Values

/// The sessions whose envelopes are prepared before anyone asks for them, a little at a time.
///
/// A person who lists the sessions is about to open one of the newest. A person who opens one is
/// about to look at its charts, so it goes first.
public struct EnvelopePreparation: Sendable {
  /// Sessions of a list that are prepared, the newest first.
  private static let newest = 8
  /// Chunks per step, which takes milliseconds.
  private static let chunksOfStep = 16
  private let stepsOfList: Int

  private var opened: [EnvelopeWarming] = []
  /// Sessions of the list; the last one goes first.
  private var listed: [EnvelopeWarming] = []
  private var stepsLeft = 0
  /// Sessions that are not prepared again for a list: they cannot grow any more.
  private var settled: Set<UniqueID> = []
  private var isListed = false

  /// An empty preparation.
  ///
  /// - Parameter steps: the most steps for a list; usually enough for eight hours of eight signals
  ///   of 100 Hz. With many boards, a list would keep a small computer busy for minutes, and older
  ///   sessions would drive the newest from the cache.
  public init(steps: Int = 720) {
    stepsOfList = steps
  }

  /// Prepares the newest sessions, since a person lists them.
  public mutating func list() { isListed = true }

  /// Prepares a session first, since a person opens it.
  public mutating func open(_ session: UniqueID) {
    guard opened.last?.session != session else { return }
    opened.removeAll { $0.session == session }
    opened.append(EnvelopeWarming(session: session))
  }

  /// Whether there is nothing to do.
  public var isIdle: Bool { opened.isEmpty && listed.isEmpty && !isListed }

  /// Prepares some chunks. An error ends the preparation of a session; the request for its envelope
  /// reports it.
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

  /// Prepares some of the remaining chunks of a session.
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
