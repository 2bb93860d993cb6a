/// A queue that delivers events from any thread to one asynchronous consumer, in order.
///
/// As in `Reply`, the events are stored behind a lock, and the concurrency runtime only wakes the
/// consumer. Race detectors cannot follow the runtime and would report an event passed through it
/// as a race.
public final class EventQueue<Event: Sendable>: Sendable {
  private let waiting = Guarded<[Event]>([])
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  public init() {
    (wakes, wake) = AsyncStream.makeStream()
  }

  public func post(_ event: Event) {
    waiting.withLock { $0.append(event) }
    wake.yield()
  }

  /// Ends the queue. Events that were already posted are still delivered.
  public func finish() {
    wake.finish()
  }

  /// Waits for the next event. Returns `nil` at the end of the queue, or if the consuming task is
  /// cancelled.
  public func next() async -> Event? {
    for await _ in wakes {
      return waiting.withLock { $0.removeFirst() }
    }
    return nil
  }
}
