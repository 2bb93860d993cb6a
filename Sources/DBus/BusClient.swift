internal import LinuxSystem

/// A connection for callers on any thread: calls are awaited, signals come as a stream.
///
/// One thread owns the connection and polls it together with a mailbox; callers only put requests
/// into the mailbox and ring.
public final class BusClient: Sendable {
  private let mailbox: BusMailbox
  private let thread: NamedThread
  /// Every signal that reaches this connection, in order. For one consumer; it ends when the bus
  /// is gone or the client is closed.
  public let signals: AsyncStream<BusSignal>

  /// Connects to a bus and starts the thread that owns the connection.
  ///
  /// Throws a `BusError` when the bus cannot be reached, a `SystemError` when the system is out of
  /// descriptors or threads.
  public init(_ address: BusAddress) throws {
    let (signals, continuation) = AsyncStream<BusSignal>.makeStream()
    let mailbox = try BusMailbox()
    let connection = HandOver(try BusConnection(address))
    self.signals = signals
    self.mailbox = mailbox
    thread = try NamedThread("bus") {
      guard let connection = connection.take() else { return }
      var loop = BusLoop(connection, mailbox, continuation)
      loop.run()
    }
  }

  deinit {
    close()
  }

  /// Calls a method and waits for its answer, at most as long as the call's deadline.
  public func call(_ call: BusCall) async throws(BusError) -> [BusValue] {
    let answer = await BusReply.wait { reply in
      let request = BusRequest.call(call, reply)
      if !mailbox.post(request) { request.refuse() }
    }
    return try answer.get()
  }

  /// Sends what is queued, fails what is unanswered, and ends the thread.
  public func close() {
    _ = mailbox.post(.close)
    thread.join()
  }
}
