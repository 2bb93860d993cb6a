internal import LinuxSystem

/// What callers ask of the thread that owns a connection.
enum BusRequest: Sendable {
  /// Send a call, and tell how it ended.
  case call(BusCall, BusCompletion)
  /// Give signals like these to this handler.
  case listen(SignalRule, BusClient.MessageHandler)
  /// Give calls of this object to this handler; none takes it away again.
  case serve(path: String, BusClient.CallHandler?)
  /// End.
  case close

  /// Answers a request that came when the bus was gone.
  func refuse() {
    if case .call(let call, let completion) = self {
      completion(.failure(.disconnected(call.operation)))
    }
  }
}

typealias BusCompletion = @Sendable (Result<[BusValue], BusError>) -> Void
typealias BusMailbox = Mailbox<BusRequest>
