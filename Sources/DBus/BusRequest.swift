internal import LinuxSystem

/// What callers ask of the thread that owns a connection.
enum BusRequest: Sendable {
  /// Send a call and resume the caller with its answer.
  case call(BusCall, BusReply)
  /// End.
  case close

  /// Answers a request that came when the bus was gone.
  func refuse() {
    if case .call(let call, let caller) = self {
      caller.give(.failure(.disconnected(call.operation)))
    }
  }
}

typealias BusReply = Reply<Result<[BusValue], BusError>>
typealias BusMailbox = Mailbox<BusRequest>
