internal import LinuxSystem
internal import Values

/// The server thread's loop. Waits for the network and for responses, and closes connections that
/// are too slow.
final class ServerLoop {
  enum Message: Sendable {
    case answer(request: UInt64, ServerResponse, (any ServerStream)?)
    /// The stream that answers a request has more bytes to send.
    case more(request: UInt64)
    case stop
  }

  let limits: ServerLimits
  let handler: any RequestHandler
  let mailbox: Mailbox<Message>
  /// The open connections, by number.
  private var connections: [UInt64: ServerConnection] = [:]
  /// Requests that are waiting for the handler's response, by number.
  private var waiting: [UInt64: ServerRequest] = [:]
  /// Requests whose responses are streams, by number.
  private var streaming: [UInt64: ServerRequest] = [:]
  /// The number of requests in progress, from the arrival of the head to the end of the response.
  private var requests = 0
  /// The total size of the bodies and responses in memory, in bytes.
  private var heldBytes = 0
  /// The number of bytes in memory for each party. Parties with no bytes in memory are omitted.
  private var partyBytes: [[UInt8]: Int] = [:]
  /// Closed connections whose clients may not have read the response yet.
  private var closing = ClosingSockets()
  /// Whether a connection has been closed since the library last ran. At its connection limit, the
  /// library stops listening. It checks whether it can listen again only when it runs.
  private var isPlaceFree = false
  private var lastNumber: UInt64 = 0
  private(set) var isStopping = false

  private var engine: Microhttpd?

  /// Returns `nil` if the library does not start.
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

  /// Serves requests until a message stops the loop.
  func run() {
    guard let engine else { return }
    var polls = PollSet()
    var swept = BootClock.now()
    var end: BootTime?
    while true {
      polls.removeAll()
      polls.add(engine.descriptor)
      polls.add(mailbox.bell.number)
      closing.watch(in: &polls)
      polls.wait(seconds: patience(engine.patience))
      for message in mailbox.takeAll() {
        switch message {
        case .answer(let number, let response, let stream): answer(number, response, stream)
        case .more(let number): streaming[number].map { engine.resume($0) }
        case .stop:
          isStopping = true
          engine.quiesce()
          // Once the server is stopping, resuming a stream ends the stream.
          for request in streaming.values { engine.resume(request) }
          end = end ?? BootClock.now().advanced(bySeconds: limits.stopSeconds)
        }
      }
      isPlaceFree = false
      engine.run()
      handler.endRound()
      let now = BootClock.now()
      closing.drain(now: now)
      if now.seconds(since: swept) >= sweepSeconds {
        swept = now
        sweep(now)
      }
      if let end, requests == 0 || now >= end { break }
    }
    _ = mailbox.shut()
    // The library must not be stopped while a request is suspended.
    for number in Array(waiting.keys) { answer(number, handler.refusal(for: .stopping)) }
    for request in streaming.values { engine.resume(request) }
    engine.run()
    handler.endRound()
    engine.stop()
    self.engine = nil
  }

  private var sweepSeconds: Double {
    let shortest = min(
      limits.firstHeadSeconds, limits.headSeconds, limits.bodySeconds, limits.strangerSeconds,
      limits.refusedBodySeconds)
    return shortest / 4
  }

  private func patience(_ wanted: Double?) -> Double? {
    if isPlaceFree { return 0 }
    if connections.isEmpty, closing.isEmpty, !isStopping { return wanted }
    return min(wanted ?? .infinity, isStopping ? min(sweepSeconds, 0.1) : sweepSeconds)
  }

  private func answer(
    _ number: UInt64, _ response: ServerResponse, _ stream: (any ServerStream)? = nil
  ) {
    // A broken connection does not need a response, but the library notices that it is broken only
    // if the request continues.
    guard let request = waiting.removeValue(forKey: number) else { return stream?.end() ?? () }
    drop(request)
    // Clients that do not read their responses must not exhaust the memory.
    let isTooMuch = heldBytes > 0 && heldBytes + response.body.count > limits.bodies
    request.response = isTooMuch ? handler.refusal(for: .busy) : response
    hold(request.response?.body.count ?? 0, request)
    if let stream, !isTooMuch {
      request.stream = stream
      streaming[number] = request
      stream.begin { [mailbox] in _ = mailbox.post(.more(request: number)) }
    } else {
      stream?.end()
    }
    engine?.resume(request)
  }

  /// Closes connections whose current phase has taken too long.
  private func sweep(_ now: BootTime) {
    for connection in connections.values where connection.isTooSlow(now, limits) {
      connection.shut()
    }
  }

  // MARK: - Calls from the library

  func opened(socket: Int32, client: UInt64) -> ServerConnection {
    lastNumber += 1
    let connection = ServerConnection(
      number: lastNumber, client: client, socket: socket, now: BootClock.now())
    connections[connection.number] = connection
    Places.leaver(among: Array(connections.values), for: connection, limits)?.shut()
    return connection
  }

  func closed(_ connection: ServerConnection) {
    connections[connection.number] = nil
    isPlaceFree = true
    if connection.endsEarly { closing.add(connection.socket, now: BootClock.now()) }
  }

  /// Registers a request after its head has arrived.
  func begin(_ received: ReceivedHead, on connection: ServerConnection) -> ServerRequest {
    lastNumber += 1
    requests += 1
    var received = received
    received.head.client = ClientAddress(connection.client)
    let hasOneHost = received.head.takeOrigin()
    connection.isOfStranger = handler.isFromStranger(received.head)
    connection.party = handler.party(of: received.head)
    let isWithinShare = isWithinShare(connection)
    let request = ServerRequest(
      number: lastNumber, head: received.head,
      longestBody: connection.isOfStranger ? min(limits.strangerBody, limits.body) : limits.body,
      party: connection.party)
    connection.phase = .body(since: BootClock.now(), bytes: 0)
    do throws(BodyFraming.Ambiguity) {
      guard received.isPlain else {
        throw BodyFraming.Ambiguity(
          reason: "a line of the head is folded, contains a zero byte, or does not end with CR LF")
      }
      guard hasOneHost else {
        throw BodyFraming.Ambiguity(reason: "the address and the Host field name different hosts")
      }
      let framing = try BodyFraming(of: received.head, version: received.version)
      request.framing = framing
      request.response =
        isWithinShare
        ? refusal(of: received, framing, upTo: request.longestBody) : handler.refusal(for: .busy)
    } catch {
      request.response = handler.refusal(for: .ambiguous(error.reason))
    }
    return request
  }

  private func refusal(
    of received: ReceivedHead, _ framing: BodyFraming, upTo longestBody: Int
  ) -> ServerResponse? {
    if received.size > limits.head { return handler.refusal(for: .headTooLarge) }
    if isStopping { return handler.refusal(for: .stopping) }
    if let refusal = handler.refusal(of: received.head) { return refusal }
    if case .length(let count) = framing, count > longestBody {
      return handler.refusal(for: .bodyTooLarge)
    }
    guard framing == .empty || heldBytes < limits.bodies else {
      return handler.refusal(for: .busy)
    }
    return nil
  }

  /// Accepts further bytes of a body. Returns whether the request may continue.
  func take(
    _ bytes: UnsafeRawBufferPointer, of request: ServerRequest, on connection: ServerConnection
  ) -> Bool {
    connection.count(bytes.count)
    request.received += bytes.count
    // Continue to read a rejected body, up to a limit, because a client may not read the response
    // before it has sent everything.
    guard request.response == nil else { return request.received <= 2 * limits.body }
    if request.received > request.longestBody {
      refuse(request, .bodyTooLarge, on: connection)
    } else if !hasRoom(for: bytes.count, of: request) {
      refuse(request, .busy, on: connection)
    } else {
      hold(bytes.count, request)
      unsafe request.keep(bytes)
    }
    return true
  }

  // MARK: - Limits per party

  private func hold(_ bytes: Int, _ request: ServerRequest) {
    request.hold(bytes, in: &heldBytes)
    if let party = request.party { partyBytes[party, default: 0] += bytes }
  }

  private func drop(_ request: ServerRequest) {
    if let party = request.party, request.held > 0 {
      let rest = (partyBytes[party] ?? 0) - request.held
      partyBytes[party] = rest > 0 ? rest : nil
    }
    request.drop(from: &heldBytes)
  }

  /// Returns whether more bytes of a body fit within the memory limits.
  private func hasRoom(for count: Int, of request: ServerRequest) -> Bool {
    guard heldBytes + count <= limits.bodies else { return false }
    guard let party = request.party, heldBytes + count > limits.bodies / 4 * 3 else { return true }
    return partyBytes[party] ?? 0 <= limits.bodies / 2
  }

  /// Returns whether a party may start another request on this connection. If the party is at its
  /// request limit, also shuts down one of its connections: the one that has been transferring data
  /// longest.
  private func isWithinShare(_ connection: ServerConnection) -> Bool {
    // While half of the connections are free, there is no need to limit clients.
    guard let party = connection.party, connections.count > limits.connections / 2 else {
      return true
    }
    let others = connections.values.filter {
      $0 !== connection && $0.isAtWork && $0.party == party
    }
    guard others.count >= limits.requestsPerParty else { return true }
    let slowest = others.compactMap { other in
      other.transferSince.map { (connection: other, since: $0) }
    }.min { $0.since < $1.since }
    slowest?.connection.shut()
    return slowest != nil
  }

  private func refuse(
    _ request: ServerRequest, _ reason: ServerRefusal, on connection: ServerConnection
  ) {
    request.response = handler.refusal(for: reason)
    drop(request)
    connection.phase = .refusedBody(since: BootClock.now())
  }

  /// Passes a complete request to the handler. The response arrives later as a message.
  func hand(_ request: ServerRequest, on connection: ServerConnection) {
    connection.phase = .answer
    waiting[request.number] = request
    let reply = PendingReply(to: request.number, mailbox)
    var body: [UInt8] = []
    swap(&body, &request.body)
    handler.handle(request.head, body: body, reply: reply)
  }

  /// Records that the server has started sending the response to a request.
  func gives(_ request: ServerRequest, on connection: ServerConnection) {
    connection.phase =
      request.stream == nil
      ? .reading(since: BootClock.now(), bytes: request.response?.body.count ?? 0) : .streaming
    request.isAnswered = true
    request.response?.body = []
  }

  /// Records that a request has ended, whether it was answered or not.
  func end(_ request: ServerRequest, on connection: ServerConnection?) {
    requests -= 1
    drop(request)
    waiting[request.number] = nil
    streaming.removeValue(forKey: request.number)?.stream?.end()
    connection?.phase = .head(since: BootClock.now())
  }
}
