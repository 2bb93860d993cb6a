internal import HTTPServer
internal import LinuxSystem
internal import Sharing

/// A stream of server-sent events for one reader: all known states first, then the changes.
///
/// The stream records which gateways changed, but not how: an event contains the state at the time
/// of reading. A slow reader therefore gets fewer events, and no backlog builds up.
final class LiveStream: ServerStream {
  private struct State: Sendable {
    /// The gateways with unsent changes, in the order in which they changed.
    var waiting: [String]
    var news: [String: LiveGateway.News]
    /// The number of gateways in the initial list whose states have not been sent yet; -1 once
    /// `ready` was sent.
    var first: Int
    /// Bytes left over from the last read; at most one event.
    var rest: [UInt8] = []
    var isBeatDue = false
    var isOver = false
    var bell: (@Sendable () -> Void)?
  }

  let number: UInt64
  /// The hash of the reader's token; `nil` if access is checked elsewhere.
  let token: [UInt8]?
  private let hub: LiveHub
  private let state: Guarded<State>

  /// Creates a stream that starts with all gateways' states.
  init(number: UInt64, token: [UInt8]?, _ hub: LiveHub, all: [String]) {
    self.number = number
    self.token = token
    self.hub = hub
    state = Guarded(
      State(
        waiting: all, news: Dictionary(all.map { ($0, .update) }) { first, _ in first },
        first: all.count))
  }

  func note(_ change: LiveFleet.Change) {
    ring { state in
      if state.news.updateValue(change.news, forKey: change.gateway) == nil {
        state.waiting.append(change.gateway)
      }
    }
  }

  /// Makes the next read return a heartbeat, unless it returns events.
  func beat() { ring { $0.isBeatDue = true } }

  func finish() { ring { $0.isOver = true } }

  private func ring(_ change: (inout State) -> Void) {
    let bell = state.withLock { state in
      change(&state)
      return state.bell
    }
    bell?()
  }

  func begin(_ bell: @escaping @Sendable () -> Void) {
    state.withLock { $0.bell = bell }
  }

  func next(upTo count: Int) -> [UInt8]? {
    var bytes = state.withLock { state in
      defer { state.rest = [] }
      return state.rest
    }
    while bytes.count < count {
      let (change, isReady, isOver) = state.withLock { state in
        let isReady = state.first == 0
        if state.first >= 0 { state.first -= 1 }
        guard !isReady, !state.isOver, !state.waiting.isEmpty else {
          return (nil as LiveFleet.Change?, isReady, state.isOver)
        }
        let name = state.waiting.removeFirst()
        let news = state.news.removeValue(forKey: name) ?? .update
        return (LiveFleet.Change(gateway: name, news: news), false, false)
      }
      if isOver { return bytes.isEmpty ? nil : bytes }
      if isReady {
        bytes += Array("event: ready\ndata: {}\n\n".utf8)
      } else if let change {
        bytes += Array(hub.event(change).utf8)
      } else {
        break
      }
    }
    let needsBeat = state.withLock { state in
      defer { state.isBeatDue = false }
      return state.isBeatDue && bytes.isEmpty
    }
    if needsBeat { bytes = Array(": \n\n".utf8) }
    if bytes.count > count {
      let rest = Array(bytes[count...])
      state.withLock { $0.rest = rest }
      bytes.removeLast(bytes.count - count)
    }
    return bytes
  }

  func end() { hub.leave(number) }
}
