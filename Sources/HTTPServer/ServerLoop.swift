internal import LinuxSystem
internal import Recording

/// The life of a server's thread: waits for the network and for answers, and ends those who are too slow.
final class ServerLoop {
  /// What is told to the thread.
  enum Message: Sendable {
    /// The answer to a request.
    case answer(request: UInt64, ServerResponse)
    /// End.
    case stop
  }

  let limits: ServerLimits
  let handler: any RequestHandler
  let mailbox: Mailbox<Message>
  /// Connections that are open, by their number.
  private var connections: [UInt64: ServerConnection] = [:]
  /// Requests that wait for their answer, by their number.
  private var waiting: [UInt64: ServerRequest] = [:]
  /// Requests between their head and the end of their answer.
  private var requests = 0
  /// Bytes of bodies that are held.
  private var heldBytes = 0
  private var lastNumber: UInt64 = 0
  private(set) var isStopping = false

  private var engine: Microhttpd?

  /// A loop for a socket that listens; `nil` if the library does not start on it.
  init?(
    _ listening: consuming OwnedDescriptor, identity: HTTPServer.Identity?, limits: ServerLimits,
    handler: any RequestHandler, mailbox: Mailbox<Message>
  ) {
    self.limits = limits
    self.handler = handler
    self.mailbox = mailbox
    let engine = Microhttpd(listening, identity: identity, limits: limits)
    guard engine.start(for: self) else { return nil }
    self.engine = engine
  }

  /// Serves until it is told to stop.
  func run() {
    guard let engine else { return }
    var polls = PollSet()
    polls.add(engine.descriptor)
    polls.add(mailbox.bell.number)
    var swept = BootClock.now()
    var end: BootTime?
    while true {
      polls.wait(seconds: patience(engine.patience))
      for message in mailbox.takeAll() {
        switch message {
        case .answer(let number, let response): answer(number, response)
        case .stop:
          isStopping = true
          engine.quiesce()
          end = end ?? BootClock.now().advanced(bySeconds: limits.stopSeconds)
        }
      }
      engine.run()
      let now = BootClock.now()
      if now.seconds(since: swept) >= sweepSeconds {
        swept = now
        sweep(now)
      }
      if let end, requests == 0 || now >= end { break }
    }
    _ = mailbox.shut()
    // The library may not be stopped while somebody is put off.
    for number in Array(waiting.keys) { answer(number, handler.refusal(for: .stopping)) }
    engine.run()
    engine.stop()
    self.engine = nil
  }

  private var sweepSeconds: Double { min(limits.headSeconds, limits.bodySeconds) / 4 }

  private func patience(_ wanted: Double?) -> Double? {
    if connections.isEmpty, !isStopping { return wanted }
    return min(wanted ?? .infinity, isStopping ? min(sweepSeconds, 0.1) : sweepSeconds)
  }

  private func answer(_ number: UInt64, _ response: ServerResponse) {
    // A connection that broke meanwhile needs no answer, but has to be let go on to see that.
    guard let request = waiting.removeValue(forKey: number) else { return }
    request.response = response
    engine?.resume(request)
  }

  /// Closes connections which take too long over their request.
  private func sweep(_ now: BootTime) {
    for connection in connections.values where connection.isTooSlow(now, limits) {
      connection.shut()
    }
  }

  // MARK: - What the library tells

  func opened(socket: Int32) -> ServerConnection {
    lastNumber += 1
    let connection = ServerConnection(number: lastNumber, socket: socket, now: BootClock.now())
    connections[connection.number] = connection
    return connection
  }

  func closed(_ connection: ServerConnection) {
    connections[connection.number] = nil
  }

  /// A head has come: what is known of the request from now on.
  func begin(_ head: RequestHead, on connection: ServerConnection) -> ServerRequest {
    lastNumber += 1
    requests += 1
    let request = ServerRequest(number: lastNumber, head: head)
    connection.phase = .body(since: BootClock.now(), bytes: 0)
    if let length = head["content-length"].flatMap({ Int($0) }) {
      request.announced = length
      if length > limits.body { request.response = handler.refusal(for: .bodyTooLarge) }
    }
    if isStopping { request.response = request.response ?? handler.refusal(for: .stopping) }
    request.response = request.response ?? handler.refusal(of: head)
    if request.response == nil, let length = request.announced {
      if heldBytes + length > limits.bodies {
        request.response = handler.refusal(for: .busy)
      } else {
        heldBytes += length
        request.held = length
        request.body.reserveCapacity(length)
      }
    }
    return request
  }

  /// Bytes of a body have come: whether the request may go on.
  func take(
    _ bytes: UnsafeRawBufferPointer, of request: ServerRequest, on connection: ServerConnection
  ) -> Bool {
    connection.count(bytes.count)
    request.received += bytes.count
    guard request.response == nil else {
      // What is not wanted is passed over, so that the client comes to read the answer; not for ever.
      request.drop(&heldBytes)
      return request.received <= 2 * limits.body
    }
    guard request.received <= limits.body else {
      request.response = handler.refusal(for: .bodyTooLarge)
      return true
    }
    if request.received > request.held {
      // A body in pieces, of which nobody said how long it is.
      let more = max(request.received - request.held, 64 << 10)
      guard heldBytes + more <= limits.bodies else {
        request.response = handler.refusal(for: .busy)
        return true
      }
      heldBytes += more
      request.held += more
    }
    unsafe request.body.append(contentsOf: bytes)
    return true
  }

  /// A request is complete; it waits for its answer from now on.
  func hand(_ request: ServerRequest, on connection: ServerConnection) {
    connection.phase = .answer
    waiting[request.number] = request
    let number = request.number
    let reply = PendingReply { [mailbox] response in
      _ = mailbox.post(.answer(request: number, response))
    }
    var body: [UInt8] = []
    swap(&body, &request.body)
    handler.handle(request.head, body: body, reply: reply)
  }

  /// A request is over, whether it was answered or not.
  func end(_ request: ServerRequest, on connection: ServerConnection?) {
    requests -= 1
    request.drop(&heldBytes)
    waiting[request.number] = nil
    connection?.phase = .head(since: BootClock.now())
  }
}
