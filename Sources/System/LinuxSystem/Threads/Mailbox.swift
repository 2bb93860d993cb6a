/// Requests on their way to the thread that polls `bell`.
public final class Mailbox<Request: Sendable>: Sendable {
  private struct Content {
    var requests: [Request] = []
    var isOpen = true
  }

  private let content = Guarded(Content())
  /// Rings for a request; the thread polls it.
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
    let isOpen = content.withLock { content in
      if content.isOpen { content.requests.append(request) }
      return content.isOpen
    }
    if isOpen, rings { bell.ring() }
    return isOpen
  }

  /// Whether no request waits.
  public var isEmpty: Bool { content.withLock { $0.requests.isEmpty } }

  /// Takes all waiting requests, in order.
  public func takeAll() -> [Request] {
    bell.clear()
    return content.withLock { content in
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
