internal import LinuxSystem

/// The newest events for open pages. All pages share this log.
///
/// Each event is created once, no matter how many pages are open. A page that is too slow misses
/// events and continues with the newest state, so no backlog builds up.
final class EventLog: Sendable {
  enum Kind: Sendable {
    /// The event contains the complete state, so a page needs no earlier event.
    case state
    /// The event contains new columns of samples for the live charts.
    case columns
    /// The event is a keep-alive without content.
    case beat
  }

  private struct Event: Sendable {
    var number: UInt64
    var kind: Kind
    var bytes: [UInt8]
  }

  private struct State: Sendable {
    var events: [Event] = []
    var last: UInt64 = 0
  }

  /// Maximum number of events in the log, enough for about two seconds.
  private static let capacity = 24

  private let state = Guarded(State())

  func append(_ kind: Kind, _ name: String, _ data: String) {
    append(kind, Array("event: \(name)\ndata: \(data)\n\n".utf8))
  }

  /// Removes all events, which became outdated while no page was open.
  func clear() { state.withLock { $0.events = [] } }

  func beat() { append(.beat, Array(": \n\n".utf8)) }

  private func append(_ kind: Kind, _ bytes: [UInt8]) {
    state.withLock { state in
      state.last += 1
      if state.events.count == Self.capacity { state.events.removeFirst() }
      state.events.append(Event(number: state.last, kind: kind, bytes: bytes))
    }
  }

  /// Returns the next event after a number; `nil` if no newer event exists. A page that was just
  /// opened, or that missed some events, gets the newest state.
  func next(after number: UInt64) -> (number: UInt64, bytes: [UInt8])? {
    state.withLock { state in
      guard state.last > number, let first = state.events.first else { return nil }
      let event =
        number > 0 && first.number <= number + 1
        ? state.events[Int(number + 1 - first.number)]
        : state.events.last { $0.kind == .state }
      // Copies the bytes, so that threads do not share storage.
      return event.map { ($0.number, $0.bytes.map { $0 }) }
    }
  }
}
