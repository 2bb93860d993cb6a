public import Recording
public import Values

/// A chunk on its way to a destination: its sealed bytes, which never change.
public struct OutgoingChunk: Hashable, Sendable {
  /// The chunk's permanent identifier, under which the destination stores it.
  public var id: UniqueID
  /// The session that the chunk belongs to.
  public var session: UniqueID
  /// The board of the chunk's stream.
  public var board: BoardAddress
  /// The signal of the chunk's stream.
  public var signal: String
  /// The chunk's position in the stream.
  public var sequence: UInt32
  /// The number of samples in the chunk.
  public var sampleCount: Int
  /// The sealed bytes, in our format.
  public var bytes: [UInt8]

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

/// The session of outgoing chunks, as destinations see it.
public protocol OutgoingSession: Sendable {
  /// The session's record in its current state.
  func record() async throws -> SessionRecord
  /// Fixes of the session's track in order of arrival: at most `limit`, beginning with number
  /// `first`.
  func fixes(from first: Int, limit: Int) async throws -> [Fix]
}

/// A destination's verdict on an item.
public enum Verdict: Hashable, Sendable {
  /// The destination confirmed that it holds the item durably with the same content, now or from an
  /// earlier attempt.
  case stored
  /// The destination refuses the item for good, for this reason. The item is parked: kept and
  /// shown, without delaying others.
  case refused(String)
  /// This attempt failed.
  case failed(Setback)
}

/// The reason why an attempt failed.
public struct Setback: Remediable, Hashable {
  /// Kinds of setback, by their consequence.
  public enum Kind: Hashable, Sendable {
    /// The network or the server is unreachable or overloaded: the destination rests, longer each
    /// time.
    case unavailable
    /// The server failed at this item, or fails at all of them. Other items continue, which shows
    /// which it is. `FaultWatch` decides about the item.
    case faulty
    /// We may not store this item, or may store nothing at all. The consequence is the same as for
    /// `faulty`.
    case forbidden
    /// One side does not know or trust the other, or the server is not of the configured kind. The
    /// destination rests until a person changes something, and is retried from time to time.
    case rejected
    /// This computer's clock is wrong, so that certificates or sign-in fail: the destination rests
    /// until the clock is set.
    case wrongClock
  }

  public var kind: Kind
  /// The failure in words for a person, without secrets.
  public var reason: String
  /// A remedy for a person; empty if there is no general one.
  public var remedy: String
  /// Least seconds to rest, as the server asked.
  public var rest: Double?

  public var message: String { reason }

  public init(_ kind: Kind, _ reason: String, remedy: String = "", rest: Double? = nil) {
    self.kind = kind
    self.reason = reason
    self.remedy = remedy
    self.rest = rest
  }

  /// The setback for local data that could not be read. It is retried like a server's failure,
  /// unless the call was cancelled.
  public init(reading error: any Error) {
    self =
      error is CancellationError
      ? Setback(.unavailable, "the call was cancelled")
      : Setback(.faulty, "the session cannot be read here: \(error)")
  }

  /// Whether the setback may concern only the item that was sent.
  public var isAboutItem: Bool { kind == .faulty || kind == .forbidden }

  /// The setback, once it is clear that it concerns the whole destination.
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

/// Limits for one call, and whether the destination waits for dated sessions.
public struct DestinationTraits: Hashable, Sendable {
  /// Most chunks in one call.
  public var chunksPerCall: Int
  /// Most bytes of chunks in one call; a single chunk may have more.
  public var bytesPerCall: Int
  /// Most calls under way at a time.
  public var calls: Int
  /// Whether chunks are sent only after their session has ended and a trusted clock has dated it.
  /// Such a destination writes times and positions into them.
  public var needsDatedSession: Bool

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

/// A place that recordings are sent to. Calls may run concurrently. Data sent twice are stored
/// once.
public protocol Destination: Sendable {
  /// Limits for one call.
  var traits: DestinationTraits { get }

  /// Sends chunks of one session and returns a verdict on each, in order.
  func store(_ chunks: [OutgoingChunk], of session: any OutgoingSession) async -> [Verdict]

  /// Sends the parts of a session other than its chunks: track and record. Called when all chunks
  /// are stored, and again after a change.
  func finish(_ session: any OutgoingSession) async -> Verdict

  /// Tests whether the destination can be reached now, without storing anything. Returns the
  /// obstacle, if there is one.
  func test() async -> Setback?
}
