internal import HTTPServer
internal import LinuxSystem

/// Server-sent events for one page, from the log that all pages share.
final class PageStream: ServerStream {
  private struct State: Sendable {
    /// Number of the last event taken from the log.
    var number: UInt64 = 0
    /// Bytes that did not fit in the last response, at most one event. The initial value sets the
    /// number of milliseconds that a browser waits before it reconnects.
    var rest = Array("retry: 1000\n\n".utf8)
    var isOver = false
    var bell: (@Sendable () -> Void)?
  }

  let number: UInt64
  let device: PairedDevice?
  private let log: EventLog
  private let left: @Sendable (UInt64) -> Void
  private let state = Guarded(State())

  init(
    _ number: UInt64, for device: PairedDevice?, _ log: EventLog,
    left: @escaping @Sendable (UInt64) -> Void
  ) {
    self.number = number
    self.device = device
    self.log = log
    self.left = left
  }

  /// Makes the server fetch more bytes, because the log has new events.
  func ring() { state.withLock { $0.bell }?() }

  /// Ends the stream normally.
  func finish() {
    state.withLock { $0.isOver = true }
    ring()
  }

  func begin(_ bell: @escaping @Sendable () -> Void) {
    state.withLock { $0.bell = bell }
  }

  func next(upTo count: Int) -> [UInt8]? {
    state.withLock { state in
      if state.isOver { return nil }
      if state.rest.isEmpty, let event = log.next(after: state.number) {
        state.number = event.number
        state.rest = event.bytes
      }
      guard state.rest.count > count else {
        defer { state.rest = [] }
        return state.rest
      }
      let piece = Array(state.rest[..<count])
      state.rest.removeFirst(count)
      return piece
    }
  }

  func end() { left(number) }
}
