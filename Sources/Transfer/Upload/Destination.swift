public import Recording
public import Values

/// A chunk that must be sent to a destination. The chunk's sealed bytes never change.
public struct OutgoingChunk: Hashable, Sendable {
  /// The permanent identifier under which the destination stores the chunk.
  public var id: UniqueID
  public var session: UniqueID
  public var board: BoardAddress
  public var signal: String
  /// The chunk's sequence number within its stream.
  public var sequence: UInt32
  public var sampleCount: Int
  /// The sealed bytes in Footbridge's chunk format.
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

/// The session data that destinations need while the session's chunks are being sent.
public protocol OutgoingSession: Sendable {
  /// Returns the session's current record.
  func record() async throws -> SessionRecord
  /// Returns at most `limit` fixes from the session's track, in order of arrival, starting with fix
  /// number `first`.
  func fixes(from first: Int, limit: Int) async throws -> [Fix]
}

/// The result of sending a single item to a destination.
public enum Verdict: Hashable, Sendable {
  /// The destination confirmed that it has durably stored this item with the same content, in this
  /// attempt or an earlier one.
  case stored
  /// The destination permanently rejects the item, for this reason. The item is parked: it is kept
  /// and shown, but no longer sent, so that it does not delay others.
  case refused(String)
  case failed(Setback)
}

/// The reason an upload attempt failed.
public struct Setback: Remediable, Hashable {
  /// The kinds of setback, grouped by how the queue reacts to them.
  public enum Kind: Hashable, Sendable {
    /// The network or the server is unreachable or overloaded. The queue backs off before the next
    /// attempt.
    case unavailable
    /// The server fails on this item, or on every item. Sending other items shows which is the
    /// case. `FaultWatch` decides what happens to the item.
    case faulty
    /// This gateway is not permitted to store this item, or any item at all. The queue reacts as it
    /// does to `faulty`.
    case forbidden
    /// One side does not recognise or trust the other, or the server is not of the configured kind.
    /// Apart from occasional retries, uploads to the destination are paused until someone
    /// intervenes.
    case rejected
    /// This computer's clock is wrong, so certificate checks or sign-in fail. Apart from occasional
    /// retries, uploads to the destination are paused until the clock is set.
    case wrongClock
  }

  public var kind: Kind
  /// The reason as text for people, without secrets.
  public var reason: String
  /// The remedy for the user; empty if no general remedy exists.
  public var remedy: String
  /// The minimum backoff in seconds, if the server requested one.
  public var rest: Double?

  public var message: String { reason }

  public init(_ kind: Kind, _ reason: String, remedy: String = "", rest: Double? = nil) {
    self.kind = kind
    self.reason = reason
    self.remedy = remedy
    self.rest = rest
  }

  /// Creates the setback for local data that could not be read. Unless the call was cancelled, the
  /// upload is retried as after a server failure.
  public init(reading error: any Error) {
    self =
      error is CancellationError
      ? Setback(.unavailable, "the call was cancelled")
      : Setback(.faulty, "cannot read the session's local data: \(error)")
  }

  /// Whether the setback may be caused by the item that was sent, rather than by the destination as
  /// a whole.
  public var isAboutItem: Bool { kind == .faulty || kind == .forbidden }

  /// The same setback, marked as affecting the whole destination.
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

/// The limits on calls to a destination, and the condition that a session must meet before it can
/// be sent there.
public struct DestinationTraits: Hashable, Sendable {
  public var chunksPerCall: Int
  /// The maximum total size, in bytes, of the chunks in a call. A single chunk may be larger.
  public var bytesPerCall: Int
  /// The maximum number of concurrent calls.
  public var calls: Int
  /// Whether chunks can be sent only after their session's date is known from a trusted clock. Such
  /// a destination adds times and positions to the chunks.
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

/// A place to which recordings are uploaded. Calls can run concurrently. Data that is sent twice is
/// stored only once.
public protocol Destination: Sendable {
  /// The limits on calls to this destination.
  var traits: DestinationTraits { get }

  /// Sends chunks of one session. Returns a verdict on each of them, in order.
  func store(_ chunks: [OutgoingChunk], of session: any OutgoingSession) async -> [Verdict]

  /// Sends a session's track and record. Called when all of the session's chunks are stored or
  /// parked, and again after each change.
  func finish(_ session: any OutgoingSession) async -> Verdict

  /// Tests whether the destination can be reached now, without storing anything. Returns the reason
  /// if it cannot, or `nil` if it can.
  func test() async -> Setback?
}
