internal import LinuxSystem

/// A bus connection for callers on any thread. Callers await the replies to their calls; handlers
/// receive signals.
///
/// One thread owns the connection and polls it together with a mailbox. Callers only post requests
/// to the mailbox and wake the thread.
///
/// This example requests the names of all clients on the bus at `address`:
///
///     let client = try await BusClient.connect(address)
///     let answer = try await client.call(
///       BusCall(
///         "ListNames", on: "/org/freedesktop/DBus", of: "org.freedesktop.DBus",
///         at: "org.freedesktop.DBus", deadline: 10))
///     let names = answer.first?.texts ?? []
///     client.close()
public final class BusClient: Sendable {
  /// Receives a signal on the connection's thread. Must not block.
  public typealias SignalHandler = @Sendable (BusSignal) -> Void
  /// Receives a signal as an undecoded message on the connection's thread. Must not block.
  public typealias MessageHandler = @Sendable (borrowing Message) -> Void
  /// Answers a call on the connection's thread. Must not block.
  public typealias CallHandler = @Sendable (ServedCall) -> ServedCall.Answer

  private let mailbox: BusMailbox
  private let thread: NamedThread

  /// Connects to a bus and starts the thread that owns the connection. That thread calls `onEnd`
  /// after the bus has disconnected or the client has been closed.
  ///
  /// Throws a `BusError` if the bus cannot be reached, or a `SystemError` if the process cannot
  /// create another descriptor or thread.
  public init(_ address: BusAddress, onEnd: @escaping @Sendable () -> Void = {}) throws {
    let mailbox = try BusMailbox()
    let connection = HandOver(try BusConnection(address))
    self.mailbox = mailbox
    thread = try NamedThread("bus") { () -> BusLoop? in
      connection.take().map { BusLoop($0, mailbox, onEnd: onEnd) }
    }
  }

  /// Connects on a separate thread, because an unresponsive bus blocks libdbus for half a minute. A
  /// cancelled task resumes at once.
  public static func connect(
    _ address: BusAddress, onEnd: @escaping @Sendable () -> Void = {}
  ) async throws -> BusClient {
    let caller = Guarded<Reply<Result<BusClient, any Error>>?>(nil)
    @Sendable func answer(_ outcome: Result<BusClient, any Error>) {
      let reply = caller.withLock { reply in
        defer { reply = nil }
        return reply
      }
      reply?.give(outcome)
    }
    let cancelled = Result<BusClient, any Error>.failure(CancellationError())
    let outcome = await withTaskCancellationHandler {
      await Reply<Result<BusClient, any Error>>.wait { reply in
        caller.withLock { $0 = reply }
        do {
          try NamedThread("bus connect") {
            answer(Result { try BusClient(address, onEnd: onEnd) })
          }.letGo()
        } catch {
          answer(.failure(error))
        }
        // The cancellation handler may have run before `caller` was set.
        if Task.isCancelled { answer(cancelled) }
      }
    } onCancel: {
      answer(cancelled)
    }
    return try outcome.get()
  }

  deinit {
    close()
  }

  /// Waits for the reply until the call's deadline.
  public func call(_ call: BusCall) async throws(BusError) -> [BusValue] {
    let answer = await Reply<Result<[BusValue], BusError>>.wait { reply in
      send(call) { reply.give($0) }
    }
    return try answer.get()
  }

  /// Queues a method call. Calls are sent in order. The completion runs on the connection's thread,
  /// or at once if the bus has disconnected.
  public func send(
    _ call: BusCall, _ completion: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
  ) {
    let request = BusRequest.call(call, completion)
    if !mailbox.post(request) { request.refuse() }
  }

  /// Subscribes to the signals that match a rule, and passes each of them to the handler.
  public func listen(
    to rule: SignalRule, _ handler: @escaping SignalHandler
  ) async throws(BusError) {
    try await listen(toMessages: rule) { handler($0.signal) }
  }

  /// Subscribes like `listen(to:)`, but passes undecoded messages to the handler. Meant for
  /// frequent signals, because decoding all of their values would be too slow.
  public func listen(
    toMessages rule: SignalRule, _ handler: @escaping MessageHandler
  ) async throws(BusError) {
    _ = mailbox.post(.listen(rule, handler))
    _ = try await call(
      BusCall(
        "AddMatch", on: "/org/freedesktop/DBus", of: "org.freedesktop.DBus",
        at: "org.freedesktop.DBus", [.string(rule.text)], deadline: 10))
  }

  /// Exports an object at a path, or withdraws it if `handler` is `nil`.
  public func serve(_ path: String, _ handler: CallHandler?) {
    _ = mailbox.post(.serve(path: path, handler))
  }

  /// Tells the thread to send the queued messages, fail the pending calls and end. Returns without
  /// waiting for the thread. Meant for cancellation handlers, because a cancelled task cannot
  /// receive a reply until its handler returns.
  public func hangUp() {
    _ = mailbox.post(.close)
  }

  /// Closes the connection like `hangUp()`, then waits until the thread has ended.
  public func close() {
    hangUp()
    thread.join()
  }
}
