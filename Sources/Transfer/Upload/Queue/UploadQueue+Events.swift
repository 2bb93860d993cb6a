internal import Recording
public import Values

/// Events in, actions out.
extension UploadQueue {
  /// Limits and order for one destination.
  public struct Rules: Hashable, Sendable {
    /// Most calls under way at a time.
    public var calls: Int
    /// Most chunks in one call.
    public var chunksPerCall: Int
    /// Most bytes of chunks in one call; a single chunk may have more.
    public var bytesPerCall: Int
    /// Whether the newest recording is sent first.
    public var newestFirst: Bool
    /// The hours for sending; `nil` for always.
    public var hours: UploadHours?
    /// Whether the queue goes on when nothing is left to send, and waits for an unreachable
    /// destination as long as it takes.
    public var stays: Bool

    /// Rules from the destination's limits and the user's settings.
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

  /// A waiting chunk, as read from the store.
  public struct Item: Hashable, Sendable {
    public var id: UniqueID
    public var session: UniqueID
    /// Its size.
    public var byteCount: Int
    /// Failures of the server at it.
    public var attempts: Int
    /// The destination's history with it and with other chunks of its session.
    public var past: Past
    /// The number of items that the destination had stored in this run when this one was read.
    var storedBefore = 0

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
    public var id: UniqueID
    /// Failures of the server at it.
    public var attempts: Int
    /// The destination's history with it.
    public var past: Past
    /// The number of items that the destination had stored in this run when this one was read.
    var storedBefore = 0

    public init(id: UniqueID, attempts: Int = 0, past: Past = .clean) {
      self.id = id
      self.attempts = attempts
      self.past = past
    }
  }

  /// The destination's history with a waiting item, from the store.
  public enum Past: Hashable, Sendable {
    /// No failure.
    case clean
    /// The destination failed at it or did not permit storing it, and has stored nothing since.
    case failed
    /// The same, but the destination has stored something else since.
    case overtaken
  }

  /// The state of the world at an event.
  public struct Moment: Hashable, Sendable {
    public var now: BootTime
    /// The minute of the day, in local time.
    public var minuteOfDay: Int
    /// Whether the computer's clock is known to be right.
    public var isClockTrusted: Bool
    /// A random number from 0 up to 1.
    public var draw: Double

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
    /// The destination's verdict, or ours if the item could not be sent.
    case verdict(Verdict)
    /// The item is no longer in the store.
    case gone
  }

  /// An event for the queue.
  public enum Event: Hashable, Sendable {
    /// The queue begins; the first event.
    case begun
    /// The result of `read`: waiting chunks, and whether these are all.
    case waiting([Item], isAll: Bool)
    /// The result of `readSessions`: sessions whose record waits.
    case unfinished([SessionItem])
    /// The result of a call: one answer for each chunk in order, or for the one record.
    case answered(call: Int, [Answer])
    /// The notes are in the store.
    case written
    /// The time of a `wake` has come, or any other.
    case elapsed
    /// The computer has a new network.
    case networkReturned
    /// Something new may wait, or the user asked for parked items again.
    case added
    /// The store could not be read or written.
    case failed
    /// The queue must end as soon as the calls under way have ended.
    case stopped
  }

  /// A request of the queue to its caller.
  public enum Action: Hashable, Sendable {
    /// Read waiting chunks in the order of sending: at most `limit`, and none of `excluding`.
    /// Sessions at which the destination has failed come last. Answered by `waiting`.
    case read(limit: Int, excluding: [UniqueID])
    /// Read the sessions that have ended, whose chunks are all stored or parked, and whose current
    /// record is not stored. Answered by `unfinished`.
    case readSessions
    /// Send these chunks of a session. Answered by `answered`.
    case send(call: Int, [UniqueID], session: UniqueID)
    /// Send everything of a session except its chunks. Answered by `answered`.
    case finish(call: Int, session: UniqueID)
    /// Write these notes to the store: all or none. Answered by `written`.
    case write([UploadNote])
    /// Note that the destination rests, and why; or that it no longer rests if `until` is `nil`.
    case rest(until: BootTime?, failures: Int, Setback?)
    /// Send `elapsed` at that time; the latest request counts.
    case wake(at: BootTime)
    /// The queue has ended: nothing is under way, and everything is noted.
    case end(Ending)
  }

  /// The reason why the queue ended.
  public enum Ending: Hashable, Sendable {
    /// Nothing is left except parked items.
    case drained
    /// It was stopped.
    case stopped
    /// The destination cannot be reached, for this reason.
    case unreachable(Setback)
    /// The destination's hours begin in this number of minutes.
    case closed(minutes: Int)
    /// The store failed.
    case failed
  }

  /// Totals of a run.
  public struct Counts: Hashable, Sendable {
    /// Chunks that the destination confirmed.
    public var chunks = 0
    /// Bytes of those chunks.
    public var bytes = 0
    /// Sessions whose record it confirmed.
    public var sessions = 0
    /// Chunks and records that were parked.
    public var parked = 0

    public init() {}

    /// Chunks and records that the destination confirmed.
    var stored: Int { chunks + sessions }
  }
}
