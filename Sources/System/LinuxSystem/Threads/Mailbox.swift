/// A queue of requests to the thread that polls `bell`.
public final class Mailbox<Request: Sendable>: Sendable {
  private struct Content {
    var requests: [Request] = []
    var isOpen = true
    /// Whether the bell has been rung since the thread last emptied the mailbox.
    var isRung = false

    /// Returns whether the bell must be rung now. One ring suffices for all requests that the
    /// thread takes together. Each ring costs a system call, and often a context switch.
    mutating func needsRing() -> Bool {
      defer { isRung = true }
      return !isRung
    }
  }

  private let content = Guarded(Content())
  /// The bell that the thread polls. Only `takeAll` clears it, before taking the requests. If
  /// anything else cleared it, `post` would not ring again.
  public let bell: WakeUp

  public init() throws(SystemError) {
    bell = try WakeUp()
  }

  /// Adds a request. Returns `false` if the thread has ended and will never read the request.
  ///
  /// - Parameter rings: whether to wake the thread; otherwise it finds the request at its next
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

  /// Rings the bell if requests that were posted without ringing are still in the mailbox.
  public func ring() {
    if content.withLock({ !$0.requests.isEmpty && $0.needsRing() }) { bell.ring() }
  }

  public var isEmpty: Bool { content.withLock { $0.requests.isEmpty } }

  /// Removes and returns all requests, in order.
  public func takeAll() -> [Request] {
    bell.clear()
    return content.withLock { content in
      content.isRung = false
      defer { content.requests.removeAll() }
      return content.requests
    }
  }

  /// Removes and returns all requests, and closes the mailbox.
  public func shut() -> [Request] {
    content.withLock { content in
      content.isOpen = false
      defer { content.requests.removeAll() }
      return content.requests
    }
  }
}
