internal import LinuxSystem

/// A connection for callers on any thread: callers await the answers to calls, and handlers receive
/// signals.
///
/// One thread owns the connection and polls it together with a mailbox; callers only put requests
/// into the mailbox and ring.
///
/// This asks the bus at `address` for the names of its clients:
///
///     let client = try await BusClient.connect(address)
///     let answer = try await client.call(
///       BusCall(
///         "ListNames", on: "/org/freedesktop/DBus", of: "org.freedesktop.DBus",
///         at: "org.freedesktop.DBus", deadline: 10))
///     let names = answer.first?.texts ?? []
///     client.close()
public final class BusClient: Sendable {
  /// Receives a signal on the connection's thread; it must not wait.
  public typealias SignalHandler = @Sendable (BusSignal) -> Void
  /// Receives a signal's message on the connection's thread; it must not wait.
  public typealias MessageHandler = @Sendable (borrowing Message) -> Void
  /// Answers a call on the connection's thread; it must not wait.
  public typealias CallHandler = @Sendable (ServedCall) -> ServedCall.Answer

  private let mailbox: BusMailbox
  private let thread: NamedThread

  /// Connects to a bus and starts the thread that owns the connection, on which `onEnd` is called
  /// when the bus is gone or the client is closed.
  ///
  /// Throws a `BusError` if the bus cannot be reached, a `SystemError` if the system is out of
  /// descriptors or threads.
  public init(_ address: BusAddress, onEnd: @escaping @Sendable () -> Void = {}) throws {
    let mailbox = try BusMailbox()
    let connection = HandOver(try BusConnection(address))
    self.mailbox = mailbox
    thread = try NamedThread("bus") { () -> BusLoop? in
      connection.take().map { BusLoop($0, mailbox, onEnd: onEnd) }
    }
  }

  /// Connects on a separate thread, since a hanging bus blocks libdbus for half a minute. A task
  /// that is cancelled meanwhile continues at once.
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
        // The cancellation handler ran before there was a caller to answer.
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

  /// Calls a method and waits for its answer, at most as long as the call's deadline.
  public func call(_ call: BusCall) async throws(BusError) -> [BusValue] {
    let answer = await Reply<Result<[BusValue], BusError>>.wait { reply in
      send(call) { reply.give($0) }
    }
    return try answer.get()
  }

  /// Calls a method; calls are sent in the order in which they were queued. The completion runs on
  /// the connection's thread, or at once if the bus is gone.
  public func send(
    _ call: BusCall, _ completion: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
  ) {
    let request = BusRequest.call(call, completion)
    if !mailbox.post(request) { request.refuse() }
  }

  /// Has the bus send these signals, and passes them to a handler from now on.
  public func listen(
    to rule: SignalRule, _ handler: @escaping SignalHandler
  ) async throws(BusError) {
    try await listen(toMessages: rule) { handler($0.signal) }
  }

  /// Listens for signals so frequent that decoding their values would cost more than handling them.
  public func listen(
    toMessages rule: SignalRule, _ handler: @escaping MessageHandler
  ) async throws(BusError) {
    _ = mailbox.post(.listen(rule, handler))
    _ = try await call(
      BusCall(
        "AddMatch", on: "/org/freedesktop/DBus", of: "org.freedesktop.DBus",
        at: "org.freedesktop.DBus", [.string(rule.text)], deadline: 10))
  }

  /// Offers an object at a path, or withdraws it.
  public func serve(_ path: String, _ handler: CallHandler?) {
    _ = mailbox.post(.serve(path: path, handler))
  }

  /// Makes the thread send the queued messages, fail the unanswered calls and end, without waiting
  /// for the thread. For a cancellation handler: until it returns, the cancelled task gets no
  /// answer.
  public func hangUp() {
    _ = mailbox.post(.close)
  }

  /// Closes like `hangUp()`, and waits until the thread has ended.
  public func close() {
    hangUp()
    thread.join()
  }
}
