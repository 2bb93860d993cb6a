public import Recording
public import Values

/// A chunk on its way to a destination: the bytes it was sealed into, which never change.
public struct OutgoingChunk: Hashable, Sendable {
  /// Identifier for ever, under which the destination keeps it.
  public var id: UniqueID
  /// Its session.
  public var session: UniqueID
  /// The board of its stream.
  public var board: BoardAddress
  /// The signal of its stream.
  public var signal: String
  /// Its position in the stream.
  public var sequence: UInt32
  /// Samples in it.
  public var sampleCount: Int
  /// Its bytes, in our format.
  public var bytes: [UInt8]

  /// A chunk with the given parts.
  public init(
    id: UniqueID, session: UniqueID, board: BoardAddress, signal: String, sequence: UInt32,
    sampleCount: Int, bytes: [UInt8]
  ) {
    self.id = id
    self.session = session
    self.board = board
    self.signal = signal
    self.sequence = sequence
    self.sampleCount = sampleCount
    self.bytes = bytes
  }
}

/// The session that chunks belong to, as far as a destination may want to know it.
public protocol OutgoingSession: Sendable {
  /// Its record as it is now.
  func record() async throws -> SessionRecord
  /// Fixes of its track in order of arrival: at most `limit`, beginning with number `first`.
  func fixes(from first: Int, limit: Int) async throws -> [Fix]
}

/// A destination's verdict on an item.
public enum Verdict: Hashable, Sendable {
  /// The destination said that it holds it durably, or that it had it before with the same content.
  case stored
  /// The destination does not want it, however often it is sent, and says so in these words. It is
  /// parked: kept, shown, and in nobody's way.
  case refused(String)
  /// It did not get through this time.
  case failed(Setback)
}

/// Why something did not get through this time.
public struct Setback: Error, Hashable, Sendable {
  /// What follows from it.
  public enum Kind: Hashable, Sendable {
    /// The network or the server is away or cannot take anything now: the destination rests, longer
    /// each time.
    case unavailable
    /// The server failed at this item, or fails at all of them: others go on, which tells.
    /// `FaultWatch` says what becomes of the item.
    case faulty
    /// We may not store this item, or nothing at all: the same.
    case forbidden
    /// The server does not know or trust us, or we not it, or it is not what was described: the
    /// destination rests until somebody changed something, and is tried now and then.
    case rejected
    /// This computer's clock is wrong, so that certificates or sign-in fail: the destination rests
    /// until the clock is set.
    case wrongClock
  }

  /// What follows from it.
  public var kind: Kind
  /// What failed, for a person; never a secret.
  public var reason: String
  /// What a person can do; empty where nothing general can be said.
  public var remedy: String
  /// Seconds to rest at least, as the server asked.
  public var rest: Double?

  /// A setback.
  public init(_ kind: Kind, _ reason: String, remedy: String = "", rest: Double? = nil) {
    self.kind = kind
    self.reason = reason
    self.remedy = remedy
    self.rest = rest
  }

  /// What follows where something of ours could not be read: it is tried again like something that
  /// the server failed at, unless the call was given up.
  public init(reading error: any Error) {
    self =
      error is CancellationError
      ? Setback(.unavailable, "the call was given up")
      : Setback(.faulty, "the session cannot be read here: \(error)")
  }

  /// Whether it may be about the one thing that was sent.
  public var isAboutItem: Bool { kind == .faulty || kind == .forbidden }

  /// The same, once it is clear that it is about the destination.
  public var ofDestination: Setback {
    var setback = self
    switch kind {
    case .faulty: setback.kind = .unavailable
    case .forbidden: setback.kind = .rejected
    case .unavailable, .rejected, .wrongClock: break
    }
    return setback
  }
}

/// How much a destination takes at once, and what it waits for.
public struct DestinationTraits: Hashable, Sendable {
  /// Chunks in one call at most.
  public var chunksPerCall: Int
  /// Bytes of chunks in one call at most; a single chunk may have more.
  public var bytesPerCall: Int
  /// Calls under way at a time, at most.
  public var calls: Int
  /// Whether chunks are sent only when their session has ended and is dated by a trusted clock,
  /// because time and position are written into them there.
  public var needsDatedSession: Bool

  /// The given traits.
  public init(
    chunksPerCall: Int = 1, bytesPerCall: Int = .max, calls: Int = 1,
    needsDatedSession: Bool = false
  ) {
    self.chunksPerCall = chunksPerCall
    self.bytesPerCall = bytesPerCall
    self.calls = calls
    self.needsDatedSession = needsDatedSession
  }
}

/// A place that recordings are sent to. Its calls may run at the same time; the same data, sent
/// twice, are stored there once.
public protocol Destination: Sendable {
  /// How much it takes at once.
  var traits: DestinationTraits { get }

  /// Sends chunks of one session: a verdict on each, in order.
  func store(_ chunks: [OutgoingChunk], of session: any OutgoingSession) async -> [Verdict]

  /// Sends what belongs to a session beside its chunks, track and record, when all chunks are
  /// stored; again when it has changed.
  func finish(_ session: any OutgoingSession) async -> Verdict

  /// Sees whether it could be sent to now, without storing anything: the obstacle, if there is one.
  func test() async -> Setback?
}
