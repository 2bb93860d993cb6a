internal import Recording
public import Values

/// What the queue is told, and what it asks for.
extension UploadQueue {
  /// How a destination is sent to.
  public struct Rules: Hashable, Sendable {
    /// Calls under way at a time, at most.
    public var calls: Int
    /// Chunks in one call at most.
    public var chunksPerCall: Int
    /// Bytes of chunks in one call at most; a single chunk may have more.
    public var bytesPerCall: Int
    /// Whether the newest recording goes first.
    public var newestFirst: Bool
    /// When it is sent to; `nil` for always.
    public var hours: UploadHours?
    /// Whether it goes on when nothing is left, and waits as long as it takes when the destination
    /// is away.
    public var stays: Bool

    /// What the destination takes and what its user said.
    public init(
      _ traits: DestinationTraits = DestinationTraits(), parallel: Int? = nil,
      newestFirst: Bool = false, hours: UploadHours? = nil, stays: Bool = false
    ) {
      calls = max(1, min(traits.calls, parallel ?? .max))
      chunksPerCall = max(1, traits.chunksPerCall)
      bytesPerCall = max(1, traits.bytesPerCall)
      self.newestFirst = newestFirst
      self.hours = hours
      self.stays = stays
    }
  }

  /// A chunk that waits, as the store tells of it.
  public struct Item: Hashable, Sendable {
    /// The chunk.
    public var id: UniqueID
    /// Its session.
    public var session: UniqueID
    /// Bytes of it.
    public var byteCount: Int
    /// Times that the server has failed at it.
    public var attempts: Int
    /// What the destination did to it and to other chunks of its session.
    public var past: Past
    /// Things that the destination had stored in this run when it was read.
    var storedBefore = 0

    /// An item with the given parts.
    public init(
      id: UniqueID, session: UniqueID, byteCount: Int, attempts: Int = 0, past: Past = .clean
    ) {
      self.id = id
      self.session = session
      self.byteCount = byteCount
      self.attempts = attempts
      self.past = past
    }
  }

  /// A session whose record waits.
  public struct SessionItem: Hashable, Sendable {
    /// The session.
    public var id: UniqueID
    /// Times that the server has failed at it.
    public var attempts: Int
    /// What the destination did to it.
    public var past: Past
    /// Things that the destination had stored in this run when it was read.
    var storedBefore = 0

    /// An item with the given parts.
    public init(id: UniqueID, attempts: Int = 0, past: Past = .clean) {
      self.id = id
      self.attempts = attempts
      self.past = past
    }
  }

  /// What the rows of the store tell of something that waits.
  public enum Past: Hashable, Sendable {
    /// The destination has failed at nothing of it.
    case clean
    /// The destination failed at it, or did not let us store it, and has stored nothing since.
    case failed
    /// The same, and the destination has stored something else since.
    case overtaken
  }

  /// What is known of the world at the time of an event.
  public struct Moment: Hashable, Sendable {
    /// The time.
    public var now: BootTime
    /// The minute of the day, by local time.
    public var minuteOfDay: Int
    /// Whether the computer's clock is known to be right.
    public var isClockTrusted: Bool
    /// A random number from 0 up to 1.
    public var draw: Double

    /// A moment with the given parts.
    public init(
      now: BootTime, minuteOfDay: Int = 720, isClockTrusted: Bool = true, draw: Double = 0.5
    ) {
      self.now = now
      self.minuteOfDay = minuteOfDay
      self.isClockTrusted = isClockTrusted
      self.draw = draw
    }
  }

  /// The outcome for one item of a call.
  public enum Answer: Hashable, Sendable {
    /// The destination's word, or ours where it could not even be sent.
    case verdict(Verdict)
    /// It is not in the store any more.
    case gone
  }

  /// What it hears of.
  public enum Event: Hashable, Sendable {
    /// It begins; the first event.
    case begun
    /// What waits, as asked for with `read`; whether that is all there is.
    case waiting([Item], isAll: Bool)
    /// The sessions whose record waits, as asked for with `readSessions`.
    case unfinished([SessionItem])
    /// The outcome of a call: for each chunk in order, or for the one record.
    case answered(call: Int, [Answer])
    /// The notes are in the store.
    case written
    /// The time of a `wake` has come, or any other.
    case elapsed
    /// The computer has got a network that it had not.
    case networkReturned
    /// Something new may wait, or parked items were asked for again.
    case added
    /// The store cannot be read or written.
    case failed
    /// It is to end as soon as what is under way has ended.
    case stopped
  }

  /// What it asks for.
  public enum Action: Hashable, Sendable {
    /// Read what waits, first to be sent first: at most `limit`, and none of `excluding`. Sessions
    /// at which the destination has failed come after all others. Told by `waiting`.
    case read(limit: Int, excluding: [UniqueID])
    /// Read which sessions have ended, have all their chunks there or parked, and their record not,
    /// or another than they have now. Told by `unfinished`.
    case readSessions
    /// Send these chunks of a session. Told by `answered`.
    case send(call: Int, [UniqueID], session: UniqueID)
    /// Send what belongs to a session beside its chunks. Told by `answered`.
    case finish(call: Int, session: UniqueID)
    /// Note this in the store, all of it or nothing. Told by `written`.
    case write([UploadNote])
    /// Note that the destination rests, and why; or no longer, where `until` is `nil`.
    case rest(until: BootTime?, failures: Int, Setback?)
    /// Tell `elapsed` then; the one asked for last holds.
    case wake(at: BootTime)
    /// The end: nothing is under way, everything is noted.
    case end(Ending)
  }

  /// Why it ended.
  public enum Ending: Hashable, Sendable {
    /// Nothing is left but what is parked.
    case drained
    /// It was told to.
    case stopped
    /// The destination could not be sent to, for this reason.
    case unreachable(Setback)
    /// The hours of the destination begin in so many minutes.
    case closed(minutes: Int)
    /// The store failed.
    case failed
  }

  /// The counts since the beginning.
  public struct Counts: Hashable, Sendable {
    /// Chunks that the destination said it holds.
    public var chunks = 0
    /// Their bytes.
    public var bytes = 0
    /// Sessions whose record it said it holds.
    public var sessions = 0
    /// Chunks and records that were parked.
    public var parked = 0

    /// Nothing yet.
    public init() {}

    /// Things that the destination said it holds.
    var stored: Int { chunks + sessions }
  }
}
