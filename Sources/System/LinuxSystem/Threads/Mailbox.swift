/// Requests on their way to the thread that polls `bell`.
public final class Mailbox<Request: Sendable>: Sendable {
  private struct Content {
    var requests: [Request] = []
    var isOpen = true
    /// Whether the bell was rung since requests were last taken.
    var isRung = false

    /// Whether the bell must be rung now. One ring is enough for all requests that are taken
    /// together: each costs a system call, and often a context switch.
    mutating func needsRing() -> Bool {
      defer { isRung = true }
      return !isRung
    }
  }

  private let content = Guarded(Content())
  /// Rings for a request; the thread polls it. Only `takeAll` clears it, and before taking: after
  /// any other clearing it would not ring again.
  public let bell: WakeUp

  /// An empty mailbox.
  public init() throws(SystemError) {
    bell = try WakeUp()
  }

  /// Adds a request; `false` if the thread has ended and will not read it.
  ///
  /// - Parameter rings: whether the thread is woken; otherwise it finds the request at its next
  ///   check.
  public func post(_ request: Request, rings: Bool = true) -> Bool {
    let (isOpen, needsRing) = content.withLock { content in
      guard content.isOpen else { return (false, false) }
      content.requests.append(request)
      return (true, rings && content.needsRing())
    }
    if needsRing { bell.ring() }
    return isOpen
  }

  /// Rings for requests that were posted without ringing and still wait.
  public func ring() {
    if content.withLock({ !$0.requests.isEmpty && $0.needsRing() }) { bell.ring() }
  }

  /// Whether no request waits.
  public var isEmpty: Bool { content.withLock { $0.requests.isEmpty } }

  /// Takes all waiting requests, in order.
  public func takeAll() -> [Request] {
    bell.clear()
    return content.withLock { content in
      content.isRung = false
      defer { content.requests.removeAll() }
      return content.requests
    }
  }

  /// Takes all waiting requests and closes the mailbox.
  public func shut() -> [Request] {
    content.withLock { content in
      content.isOpen = false
      defer { content.requests.removeAll() }
      return content.requests
    }
  }
}
