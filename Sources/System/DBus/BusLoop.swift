internal import LinuxSystem
internal import Values

/// The loop on a `BusClient`'s thread. Polls the connection and the mailbox, matches replies to
/// calls, and passes signals and calls to their handlers.
struct BusLoop: ThreadLoop {
  private let connection: BusConnection
  private let mailbox: BusMailbox
  private var listeners: [SignalKey: [(rule: SignalRule, handler: BusClient.MessageHandler)]] = [:]
  private var objects: [String: BusClient.CallHandler] = [:]
  private var pending = PendingCalls<BusCompletion>()
  private let onEnd: @Sendable () -> Void
  private var polls = PollSet()
  /// Whether the first round has yet to run. That round handles the messages that arrived while
  /// connecting.
  private var isNew = true
  private var isClosing = false

  init(
    _ connection: BusConnection, _ mailbox: BusMailbox, onEnd: @escaping @Sendable () -> Void
  ) {
    self.connection = connection
    self.mailbox = mailbox
    self.onEnd = onEnd
  }

  mutating func pause() -> Double? {
    guard connection.isConnected, !isClosing else { return nil }
    polls.removeAll()
    polls.add(mailbox.bell.number)
    polls.add(connection.descriptor, forWriting: connection.hasOutgoing)
    return isNew ? 0 : pending.nextDeadline.map { $0 - now } ?? .infinity
  }

  mutating func wait(seconds: Double) -> Bool { polls.wait(seconds: seconds) }

  mutating func round() {
    isNew = false
    // Checking the mailbox takes a system call, so rounds that only process signals skip the check.
    if polls.isReadable(0) {
      for request in mailbox.takeAll() { serve(request) }
    }
    connection.transfer()
    while let message = connection.next() { receive(message) }
    for (caller, operation) in pending.takeExpired(now: now) {
      caller(.failure(.timedOut(operation)))
    }
  }

  consuming func end() {
    for request in mailbox.shut() { request.refuse() }
    for (caller, operation) in pending.takeAll() {
      caller(.failure(.disconnected(operation)))
    }
    onEnd()
  }

  private mutating func serve(_ request: BusRequest) {
    switch request {
    case .call(let call, let caller):
      let serial = connection.send(Message(call))
      pending.add(
        caller, serial: serial, operation: call.operation, deadline: now + call.deadline)
    case .listen(let rule, let handler):
      listeners[rule.key, default: []].append((rule, handler))
    case .serve(let path, let handler):
      objects[path] = handler
    case .close:
      isClosing = true
    }
  }

  private mutating func receive(_ message: borrowing Message) {
    switch message.kind {
    case .reply:
      guard let (caller, _) = pending.take(serial: message.replySerial) else { return }
      caller(.success(message.arguments()))
    case .error:
      guard let (caller, operation) = pending.take(serial: message.replySerial) else { return }
      let text = message.arguments().first?.text ?? ""
      caller(
        .failure(
          BusError(name: message.errorName, message: text, operation: operation)))
    case .signal:
      hand(message)
    case .call:
      answer(message)
    case nil:
      break
    }
  }

  private func hand(_ message: borrowing Message) {
    guard let interested = listeners[message.signalKey] else { return }
    for (rule, handler) in interested where rule.matches(message) { handler(message) }
  }

  private func answer(_ message: borrowing Message) {
    var answer = ServedCall.Answer.refusal(
      name: "org.freedesktop.DBus.Error.UnknownMethod", message: "this method does not exist")
    if let object = objects[message.path] {
      answer = object(
        ServedCall(
          sender: message.sender, interface: message.interface, member: message.member,
          arguments: message.arguments()))
    }
    guard message.wantsReply else { return }
    switch answer {
    case .values(let values): connection.send(message.reply(values))
    case .refusal(let name, let text):
      connection.send(message.failure(name: name, message: text))
    }
  }

  private var now: Double { Double(BootClock.now().nanoseconds) / 1e9 }
}
