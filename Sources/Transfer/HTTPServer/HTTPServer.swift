internal import Glibc
public import LinuxSystem

/// An HTTP/1.1 server. It runs on a separate thread named `http`, the only thread that uses
/// libmicrohttpd.
///
/// This handler answers all requests from this computer:
///
///     struct Greeter: RequestHandler {
///       func refusal(of head: RequestHead) -> ServerResponse? { nil }
///       func refusal(for reason: ServerRefusal) -> ServerResponse { ServerResponse(503) }
///       func handle(_ head: RequestHead, body: [UInt8], reply: PendingReply) {
///         reply.give(ServerResponse(200, body: Array("hello".utf8)))
///       }
///     }
///     let address = ListenAddress(host: "127.0.0.1", port: 0)
///     let server = try HTTPServer(at: address, handler: Greeter())
public final class HTTPServer: Sendable {
  /// A certificate and its private key, both in PEM format.
  public struct Identity: Sendable {
    /// The server's certificate and its issuers' certificates.
    public var certificate: String
    public var key: String

    public init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  /// The address on which the server listens, including the assigned port.
  public let address: ListenAddress
  private let mailbox: Mailbox<ServerLoop.Message>
  private let thread: NamedThread

  /// Listens on an address. Uses TLS if `identity` is given.
  public convenience init(
    at address: ListenAddress, identity: Identity? = nil, limits: ServerLimits = ServerLimits(),
    handler: any RequestHandler
  ) throws(SystemError) {
    try self.init(
      on: ListeningSocket(address), identity: identity, limits: limits, handler: handler)
  }

  /// Creates a server for a socket that is already listening. Use this if the handler needs to know
  /// the port in advance.
  public init(
    on socket: consuming ListeningSocket, identity: Identity? = nil,
    limits: ServerLimits = ServerLimits(), handler: any RequestHandler
  ) throws(SystemError) {
    let found = socket.address
    let mailbox = try Mailbox<ServerLoop.Message>()
    let started = try Start()
    let listening = DescriptorBox(socket.takeDescriptor())
    let thread = try NamedThread("http") {
      guard let listening = listening.take(),
        let loop = ServerLoop(
          listening, identity: identity, limits: limits, handler: handler, mailbox: mailbox)
      else { return started.tell(false) }
      started.tell(true)
      loop.run()
    }
    guard started.wait() else {
      thread.join()
      throw SystemError("start a server at \(found)", number: identity == nil ? ENOMEM : EINVAL)
    }
    self.address = found
    self.mailbox = mailbox
    self.thread = thread
  }

  deinit {
    stop()
  }

  /// Stops accepting connections, gives the requests in progress `ServerLimits.stopSeconds` to
  /// finish, and waits for the thread to end. Must not be called on the server's own thread.
  public func stop() {
    _ = mailbox.post(.stop)
    thread.join()
  }

  /// Reports whether a new thread's loop has started.
  private final class Start: Sendable {
    private let outcome = Guarded<Bool?>(nil)
    private let bell: WakeUp

    init() throws(SystemError) { bell = try WakeUp() }

    func tell(_ isRunning: Bool) {
      outcome.withLock { $0 = isRunning }
      bell.ring()
    }

    func wait() -> Bool {
      var polls = PollSet()
      polls.add(bell.number)
      while true {
        if let outcome = outcome.withLock({ $0 }) { return outcome }
        polls.wait(seconds: nil)
      }
    }
  }
}
