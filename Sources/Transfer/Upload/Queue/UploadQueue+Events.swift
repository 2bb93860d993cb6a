internal import Recording
public import Values

/// The events that the queue receives, and the actions that it returns.
extension UploadQueue {
  /// The limits on calls to a destination, and the order in which to send items.
  public struct Rules: Hashable, Sendable {
    /// The maximum number of concurrent calls.
    public var calls: Int
    public var chunksPerCall: Int
    /// The maximum total size, in bytes, of the chunks in a call. A single chunk may be larger.
    public var bytesPerCall: Int
    public var newestFirst: Bool
    /// The hours during which to send; `nil` to send at any time.
    public var hours: UploadHours?
    /// Whether the queue keeps running after all items have been sent, and waits indefinitely for
    /// an unreachable destination.
    public var stays: Bool

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

  /// A chunk that is waiting to be sent, as read from the store.
  public struct Item: Hashable, Sendable {
    public var id: UniqueID
    public var session: UniqueID
    /// The chunk's size in bytes.
    public var byteCount: Int
    /// The number of times that the server has failed on this chunk.
    public var attempts: Int
    /// The destination's earlier failures on this chunk and on other chunks of its session.
    public var past: Past
    /// The number of items that the destination had stored in this run when this chunk was read.
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

  /// A session with a record that is waiting to be sent, as read from the store.
  public struct SessionItem: Hashable, Sendable {
    public var id: UniqueID
    /// The number of times that the server has failed on this session.
    public var attempts: Int
    /// The destination's earlier failures on this session.
    public var past: Past
    /// The number of items that the destination had stored in this run when this session was read.
    var storedBefore = 0

    public init(id: UniqueID, attempts: Int = 0, past: Past = .clean) {
      self.id = id
      self.attempts = attempts
      self.past = past
    }
  }

  /// The destination's earlier failures on a waiting item, as recorded in the store.
  public enum Past: Hashable, Sendable {
    /// No failure is recorded.
    case clean
    /// The destination failed on the item or did not permit it to be stored, and has stored nothing
    /// else since.
    case failed
    /// The destination failed on the item or did not permit it to be stored, but has stored
    /// something else since.
    case overtaken
  }

  /// An event's time, and other data that handling the event requires.
  public struct Moment: Hashable, Sendable {
    public var now: BootTime
    /// The minute of the day in local time.
    public var minuteOfDay: Int
    /// Whether the computer's clock is known to be correct.
    public var isClockTrusted: Bool
    /// A random number between 0 (inclusive) and 1 (exclusive).
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

  /// The result of a call for one of the items in it.
  public enum Answer: Hashable, Sendable {
    /// The destination's verdict on the item. If the item could not be sent, this is the gateway's
    /// own verdict.
    case verdict(Verdict)
    /// The store no longer contains the item.
    case gone
  }

  /// An event that the queue must handle.
  public enum Event: Hashable, Sendable {
    /// The run has started. This must be the first event.
    case begun
    /// The result of `read`: the waiting chunks, and whether the store contains no others.
    case waiting([Item], isAll: Bool)
    /// The result of `readSessions`: the sessions with a waiting record.
    case unfinished([SessionItem])
    /// The result of a call: one answer for each chunk, in order, or one answer for the record.
    case answered(call: Int, [Answer])
    /// The notes have been written to the store.
    case written
    /// The time requested with `wake` has come. The caller may also send this event at any other
    /// time.
    case elapsed
    /// The computer is on a network again.
    case networkReturned
    /// The store may contain new items, or the user wants parked items to be sent again.
    case added
    /// Reading from or writing to the store failed.
    case failed
    /// The queue must end as soon as the calls in progress have ended.
    case stopped
  }

  /// An action that the queue requests from its caller.
  public enum Action: Hashable, Sendable {
    /// Read waiting chunks in sending order: at most `limit`, and none of those in `excluding`.
    /// Chunks of sessions with earlier upload failures come last. Answered by `waiting`.
    case read(limit: Int, excluding: [UniqueID])
    /// Read the sessions that have ended and whose chunks are all stored or parked, but whose
    /// current record is not stored yet. Answered by `unfinished`.
    case readSessions
    /// Send these chunks of a session. Answered by `answered`.
    case send(call: Int, [UniqueID], session: UniqueID)
    /// Send all data of a session except its chunks. Answered by `answered`.
    case finish(call: Int, session: UniqueID)
    /// Write these notes to the store, either all or none. Answered by `written`.
    case write([UploadNote])
    /// Record that uploads to the destination are paused, and why. If `until` is `nil`, record that
    /// they are no longer paused.
    case rest(until: BootTime?, failures: Int, Setback?)
    /// Send `elapsed` at this time. A later request replaces an earlier one.
    case wake(at: BootTime)
    /// The queue has ended: no call is in progress. Unless the store failed, it contains all
    /// verdicts.
    case end(Ending)
  }

  /// The reason the run ended.
  public enum Ending: Hashable, Sendable {
    /// Everything has been sent, except for parked items.
    case drained
    case stopped
    /// The queue gave up on the destination. The setback states why.
    case unreachable(Setback)
    /// The destination's upload hours start in this number of minutes.
    case closed(minutes: Int)
    /// Reading from or writing to the store failed.
    case failed
  }

  /// The totals of a run so far.
  public struct Counts: Hashable, Sendable {
    /// The number of chunks that the destination confirmed.
    public var chunks = 0
    /// The total size of the confirmed chunks, in bytes.
    public var bytes = 0
    /// The number of sessions whose record the destination confirmed.
    public var sessions = 0
    /// The number of chunks and records that were parked.
    public var parked = 0

    public init() {}

    /// The number of chunks and records that the destination confirmed.
    var stored: Int { chunks + sessions }
  }
}
