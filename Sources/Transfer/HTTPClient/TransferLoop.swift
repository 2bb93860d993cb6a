internal import CCurl
internal import Glibc
internal import LinuxSystem

/// The transfer thread's loop. All of a client's requests use one multi handle, so they share
/// connections.
@safe
final class TransferLoop {
  enum Message: Sendable {
    case begin(Ticket)
    case cancel(UInt64)
    case end
  }

  /// A request together with the caller that is waiting for its response.
  final class Ticket: Sendable {
    let number: UInt64
    let request: HTTPRequest
    let server: ServerName
    let isCancelled: StopFlag
    let reply: Reply<Result<HTTPResponse, TransferError>>

    init(
      _ number: UInt64, _ request: HTTPRequest, to server: ServerName, isCancelled: StopFlag,
      reply: Reply<Result<HTTPResponse, TransferError>>
    ) {
      self.number = number
      self.request = request
      self.server = server
      self.isCancelled = isCancelled
      self.reply = reply
    }
  }

  private let mailbox: Mailbox<Message>
  private let options: HTTPClientOptions
  private let multi: UnsafeMutableRawPointer
  private let allowance: SharedAllowance?
  /// The transfers in progress, by curl handle.
  private var transfers: [UInt: Transfer] = [:]
  /// Transfers that are paused by the rate limit, longest-waiting first.
  private var paused: [Transfer] = []
  private var idleHandles: [EasyHandle] = []
  private var lastLookNanoseconds: UInt64 = 0
  private var isEnding = false

  /// The number of handles that are kept for later requests. Keeping more handles than are usually
  /// in use would only waste memory.
  private static let handlesKept = 16

  /// Returns `nil` if memory is insufficient.
  init?(_ mailbox: Mailbox<Message>, _ options: HTTPClientOptions) {
    guard let multi = unsafe curl_multi_init() else { return nil }
    self.mailbox = mailbox
    self.options = options
    unsafe self.multi = multi
    allowance = options.bytesPerSecond.map {
      SharedAllowance(bytesPerSecond: $0, at: Self.now())
    }
  }

  deinit {
    idleHandles.removeAll()
    unsafe curl_multi_cleanup(multi)
  }

  func run() {
    // A write to a closed connection must fail with an error instead of raising a signal. curl does
    // not suppress the signal when it writes through OpenSSL.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    while !isEnding {
      for message in mailbox.takeAll() { carryOut(message) }
      let nanoseconds = Self.now()
      resumePaused(at: nanoseconds)
      var running: Int32 = 0
      unsafe curl_multi_perform(multi, &running)
      finishEnded()
      giveUpStalled(at: nanoseconds)
      notePaused()
      guard !isEnding else { break }
      _ = unsafe ccurl_wait(multi, mailbox.bell.number, timeout())
    }
    end()
  }

  private func carryOut(_ message: Message) {
    switch message {
    case .begin(let ticket): begin(ticket)
    case .cancel(let number):
      guard let transfer = transfers.values.first(where: { $0.number == number }) else { return }
      give(up: transfer, TransferError(.cancelled, "the request was cancelled"))
    case .end: isEnding = true
    }
  }

  private func begin(_ ticket: Ticket) {
    guard !ticket.isCancelled.isRaised, !isEnding else {
      return ticket.reply.give(.failure(TransferError(.cancelled, "the request was cancelled")))
    }
    guard let handle = idleHandles.popLast() ?? EasyHandle(options) else {
      return ticket.reply.give(
        .failure(TransferError(.unreachable, "out of memory for another request")))
    }
    let transfer = Transfer(
      ticket.number, ticket.request, to: ticket.server, handle: handle, options: options,
      allowance: allowance, reply: ticket.reply)
    transfers[Self.key(handle)] = transfer
    _ = unsafe curl_multi_add_handle(multi, handle.pointer)
  }

  private func finishEnded() {
    var code = CURLE_OK
    while let pointer = unsafe ccurl_next_ended(multi, &code) {
      guard let transfer = transfers[UInt(bitPattern: pointer)] else { continue }
      let result = transfer.result(code)
      remove(transfer)
      transfer.reply.give(result)
    }
  }

  private func give(up transfer: Transfer, _ error: TransferError) {
    remove(transfer)
    transfer.reply.give(.failure(error))
  }

  private func remove(_ transfer: Transfer) {
    _ = unsafe curl_multi_remove_handle(multi, transfer.handle.pointer)
    transfers[Self.key(transfer.handle)] = nil
    paused.removeAll { $0 === transfer }
    if idleHandles.count < Self.handlesKept { idleHandles.append(transfer.handle) }
  }

  /// Cancels stalled transfers. The check runs once per second, which is precise enough for these
  /// timeouts.
  private func giveUpStalled(at nanoseconds: UInt64) {
    guard nanoseconds - lastLookNanoseconds >= 1_000_000_000 else { return }
    lastLookNanoseconds = nanoseconds
    // The loop iterates over a copy, because cancelling a transfer removes it from the list.
    for transfer in Array(transfers.values) {
      if let stall = transfer.stall(at: nanoseconds) { give(up: transfer, stall) }
    }
  }

  // MARK: The sending limit

  /// Resumes the transfer that has waited longest. That transfer uses the available bytes and moves
  /// to the end of the queue, so every transfer gets its turn.
  private func resumePaused(at nanoseconds: UInt64) {
    guard let allowance else { return }
    if allowance.wait(at: nanoseconds) == 0, !paused.isEmpty {
      paused.removeFirst().resume()
    }
  }

  private func notePaused() {
    guard allowance != nil else { return }
    for transfer in transfers.values
    where transfer.isPaused && !paused.contains(where: { $0 === transfer }) {
      paused.append(transfer)
    }
  }

  private func timeout() -> Int32 {
    guard !transfers.isEmpty else { return .max }
    guard let allowance, !paused.isEmpty else { return 1_000 }
    let wait = allowance.wait(at: Self.now())
    return Int32(clamping: min(1_000, (wait + 999_999) / 1_000_000))
  }

  // MARK: Shutdown

  private func end() {
    for message in mailbox.shut() { carryOut(message) }
    for transfer in Array(transfers.values) {
      give(up: transfer, TransferError(.cancelled, "the client was closed"))
    }
  }

  private static func key(_ handle: EasyHandle) -> UInt { unsafe UInt(bitPattern: handle.pointer) }

  private static func now() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
