public import LinuxSystem
internal import Values

/// Responds, on a separate thread, to local programs that query the daemon or send it commands.
/// Each connection carries one single-line request and one response.
///
/// Clients cannot delay the recording: the number of clients and the time for each are limited, and
/// the server never waits for a client.
public final class StatusServer: Sendable {
  /// Handles a request, and replies immediately or later from any thread. The server calls the
  /// handler on its own thread, so the handler must not block.
  public typealias Handler =
    @Sendable (_ request: String, _ reply: @escaping @Sendable (String) -> Void) -> Void

  /// Maximum number of clients. A new client replaces the oldest one that is not waiting for a
  /// response or, if all are waiting, the oldest.
  static let clients = 8
  /// Seconds allowed for a client to send its request, and the same time again for it to receive
  /// the response.
  public static let clientSeconds = 5.0
  /// Seconds allowed for a deferred response that depends on a disk.
  public static let answerSeconds = 30.0
  /// Sent before the response to show that the gateway has started the operation. JSON may begin
  /// with a space, so clients can still parse the response.
  public static let hasBegun = " "
  /// Maximum size of a request in bytes.
  static let longestRequest = 64 << 10

  private let thread: NamedThread
  private let stopping = StopFlag()
  private let wake: WakeUp

  /// Listens on a Unix socket at `path` until `stop` is called.
  public init(at path: String, _ handler: @escaping Handler) throws(SystemError) {
    let listener = HandOver(try LocalListener(path: path))
    let (wake, stopping) = (try WakeUp(), stopping)
    self.wake = wake
    thread = try NamedThread("status") { () -> StatusLoop? in
      guard let listener = listener.take() else { return nil }
      return StatusLoop(listener, wake, stopping, handler)
    }
  }

  deinit {
    stop()
  }

  /// Stops the server and removes the socket file.
  public func stop() {
    stopping.raise()
    wake.ring()
    thread.join()
  }
}

private struct StatusLoop: ThreadLoop, ~Copyable {
  /// A client, and its request's progress.
  private final class Client {
    let connection: LocalConnection
    var deadline: BootTime
    var request: [UInt8] = []
    /// Contains the reply once the handler has sent it. `nil` until the request is complete.
    var reply: Guarded<String?>?
    var answer: [UInt8]?
    var isAnswered = false
    var isOver = false

    init(_ connection: consuming LocalConnection, until deadline: BootTime) {
      self.connection = connection
      self.deadline = deadline
    }
  }

  private let listener: LocalListener
  private let wake: WakeUp
  private let stopping: StopFlag
  private let handler: StatusServer.Handler
  private var clients: [Client] = []
  private var polls = PollSet()
  private var buffer = [UInt8](repeating: 0, count: StatusServer.longestRequest + 1)

  init(
    _ listener: consuming LocalListener, _ wake: WakeUp, _ stopping: StopFlag,
    _ handler: @escaping StatusServer.Handler
  ) {
    self.listener = listener
    self.wake = wake
    self.stopping = stopping
    self.handler = handler
  }

  func pause() -> Double? {
    guard !stopping.isRaised else { return nil }
    let now = BootClock.now()
    return clients.map { max(0, $0.deadline.seconds(since: now)) }.min() ?? .infinity
  }

  mutating func wait(seconds: Double) -> Bool {
    polls.removeAll()
    polls.add(wake.number)
    polls.add(listener.number)
    // A client that is waiting for its reply sends nothing more.
    for client in clients where client.reply == nil || client.answer != nil {
      polls.add(client.connection.number, forWriting: client.answer != nil)
    }
    return polls.wait(seconds: seconds)
  }

  mutating func round() {
    wake.clear()
    let now = BootClock.now()
    for client in clients { serve(client, at: now) }
    clients.removeAll { $0.isOver }
    while let connection = listener.accept() {
      if clients.count == StatusServer.clients {
        // Keep the clients that are waiting for a reply, because their operations may already have
        // been carried out.
        clients.remove(at: clients.firstIndex { $0.reply == nil || $0.isAnswered } ?? 0)
      }
      let client = Client(connection, until: now.advanced(bySeconds: StatusServer.clientSeconds))
      serve(client, at: now)
      if !client.isOver { clients.append(client) }
    }
  }

  private mutating func serve(_ client: Client, at now: BootTime) {
    guard now < client.deadline else {
      client.isOver = true
      return
    }
    if client.reply == nil { read(from: client, at: now) }
    if let text = client.reply?.withLock({ reply in
      defer { reply = nil }
      return reply
    }) {
      client.answer = (client.answer ?? []) + Array(text.utf8)
      if text != StatusServer.hasBegun {
        client.isAnswered = true
        client.deadline = now.advanced(bySeconds: StatusServer.clientSeconds)
      }
    }
    guard !client.isOver, let answer = client.answer else { return }
    let count = client.connection.send(answer)
    if count > 0 { client.answer = Array(answer[count...]) }
    // `EAGAIN` is not a failure.
    let hasFailed = count < 0 && !TCPConnection.isNothingYet(count)
    let isSent = client.answer?.isEmpty == true
    client.isOver = hasFailed || isSent && client.isAnswered
    if isSent { client.answer = nil }
  }

  private mutating func read(from client: Client, at now: BootTime) {
    let count = client.connection.read(into: &buffer)
    guard count > 0 else {
      client.isOver = !TCPConnection.isNothingYet(count)
      return
    }
    client.request += buffer[..<count]
    if let end = client.request.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: client.request[..<end], as: UTF8.self)
      let reply = Guarded<String?>(nil)
      client.reply = reply
      client.deadline = now.advanced(bySeconds: StatusServer.answerSeconds)
      handler(line) { [wake] text in
        reply.withLock { $0 = ($0 ?? "") + text }
        wake.ring()
      }
    } else if client.request.count > StatusServer.longestRequest {
      client.isOver = true
    }
  }
}
