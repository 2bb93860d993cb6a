internal import LinuxSystem

/// A request to the thread that owns a bus connection.
enum BusRequest: Sendable {
  case call(BusCall, BusCompletion)
  /// Pass signals that match the rule to this handler.
  case listen(SignalRule, BusClient.MessageHandler)
  /// Use this handler for calls to the object at this path; `nil` withdraws the object.
  case serve(path: String, BusClient.CallHandler?)
  /// End the thread.
  case close

  /// Informs the caller that the bus has disconnected, if this request is a call.
  func refuse() {
    if case .call(let call, let completion) = self {
      completion(.failure(.disconnected(call.operation)))
    }
  }
}

typealias BusCompletion = @Sendable (Result<[BusValue], BusError>) -> Void
typealias BusMailbox = Mailbox<BusRequest>
