internal import LinuxSystem
internal import Recording

/// The thread behind a `BusClient`: polls the connection and the mailbox, matches answers to calls,
/// hands out signals.
struct BusLoop {
  private let connection: BusConnection
  private let mailbox: BusMailbox
  private let signals: AsyncStream<BusSignal>.Continuation
  private var pending = PendingCalls<BusReply>()
  private var isClosing = false

  init(
    _ connection: BusConnection, _ mailbox: BusMailbox,
    _ signals: AsyncStream<BusSignal>.Continuation
  ) {
    self.connection = connection
    self.mailbox = mailbox
    self.signals = signals
  }

  mutating func run() {
    var polls = PollSet()
    while connection.isConnected, !isClosing {
      for request in mailbox.takeAll() { serve(request) }
      connection.transfer()
      while let message = connection.next() { receive(message) }
      for (caller, operation) in pending.takeExpired(now: now) {
        caller.give(.failure(.timedOut(operation)))
      }
      polls.removeAll()
      polls.add(connection.descriptor, forWriting: connection.hasOutgoing)
      polls.add(mailbox.bell.number)
      if !isClosing { polls.wait(seconds: pending.nextDeadline.map { $0 - now }) }
    }
    for request in mailbox.shut() { request.refuse() }
    for (caller, operation) in pending.takeAll() {
      caller.give(.failure(.disconnected(operation)))
    }
    signals.finish()
  }

  private mutating func serve(_ request: BusRequest) {
    switch request {
    case .call(let call, let caller):
      let serial = connection.send(Message(call))
      pending.add(
        caller, serial: serial, operation: call.operation, deadline: now + call.deadline)
    case .close:
      isClosing = true
    }
  }

  private mutating func receive(_ message: borrowing Message) {
    switch message.kind {
    case .reply:
      guard let (caller, _) = pending.take(serial: message.replySerial) else { return }
      caller.give(.success(message.arguments()))
    case .error:
      guard let (caller, operation) = pending.take(serial: message.replySerial) else { return }
      let text = message.arguments().first?.text ?? ""
      caller.give(
        .failure(
          BusError(name: message.errorName, message: text, operation: operation)))
    case .signal:
      signals.yield(
        BusSignal(
          message.member, from: message.path, of: message.interface, message.arguments(),
          sender: message.sender))
    case .call:
      guard message.wantsReply else { return }
      connection.send(
        message.failure(
          name: "org.freedesktop.DBus.Error.UnknownMethod",
          message: "this client offers no methods"))
    case nil:
      break
    }
  }

  private var now: Double { Double(BootClock.now().nanoseconds) / 1e9 }
}
