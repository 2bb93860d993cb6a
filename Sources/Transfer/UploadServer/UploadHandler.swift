public import HTTPServer
internal import Coding
internal import UploadProtocol
internal import LinuxSystem
public import Recording
internal import Values

/// Returns a stream of the states that the gateways share: first all known states, then all
/// changes. The stream is for the reader that sent the token with this hash. Returns `nil` if there
/// are too many readers.
public typealias LiveStreams = @Sendable (_ tokenHash: [UInt8]) -> (any ServerStream)?

/// Implements the upload protocol's server side (`docs/upload-protocol.md`).
///
/// Checks heads on the server's thread. A separate thread named `intake` checks and stores bodies.
/// Only that thread uses the intake.
///
/// This server accepts uploads from clients that send the token, and stores them in a folder:
///
///     let handler = try await UploadHandler(.token(token)) { try FolderIntake(folder: path) }
///     let address = ListenAddress(host: "127.0.0.1", port: 0)
///     let server = try HTTPServer(at: address, handler: handler)
public final class UploadHandler: RequestHandler {
  private let access: UploadAccess
  private let bodyLimit: Int
  private let jobs: Mailbox<IntakeThread.Message>
  private let thread: NamedThread
  private let tally: IntakeTally
  private let known = KnownTokens()

  /// Creates a handler that stores data in an intake. `open` is called on the thread `intake` and
  /// returns the intake.
  ///
  /// - Parameter access: the callers that may send and read data.
  /// - Parameter bodyLimit: the maximum size of a body in bytes, as sent. It must equal the
  ///   server's own limit.
  /// - Parameter definitions: the definitions that gateways can fetch; `nil` for none.
  /// - Parameter live: creates streams of the states that the gateways share; `nil` for none.
  public init(
    _ access: UploadAccess, bodyLimit: Int = ServerLimits().body,
    definitions: DefinitionsShelf? = nil, live: LiveStreams? = nil,
    open: @escaping @Sendable () throws -> any SharedIntake
  ) async throws {
    self.access = access
    self.bodyLimit = bodyLimit
    let jobs = try Mailbox<IntakeThread.Message>()
    let tally = IntakeTally()
    self.jobs = jobs
    self.tally = tally
    let known = known
    let started = Guarded<NamedThread?>(nil)
    let failure: (any Error)? = await Reply.wait { (reply: Reply<(any Error)?>) in
      do {
        let thread = try NamedThread("intake") {
          do {
            let intake = try open()
            reply.give(nil)
            IntakeThread(
              intake, jobs: jobs, tally: tally, known: known, bodyLimit: bodyLimit,
              definitions: definitions, live: live
            ).run()
          } catch {
            reply.give(error)
          }
        }
        started.withLock { $0 = thread }
      } catch {
        reply.give(error)
      }
    }
    let thread = started.withLock { $0 }
    if let failure {
      thread?.join()
      throw failure
    }
    guard let thread else { preconditionFailure("the intake thread must have been started") }
    self.thread = thread
  }

  deinit {
    stop()
  }

  public var counts: IntakeCounts { tally.counts }

  /// Yields an element after the totals have changed. Only one task may read it.
  public var news: AsyncStream<Void> { tally.news }

  /// Stores everything that was received, and releases the intake. The server must be stopped
  /// first.
  public func stop() {
    _ = jobs.post(.stop)
    thread.join()
  }

  // MARK: - RequestHandler

  /// Rejects a head with an unknown path, or without a valid token or a hash.
  public func refusal(of head: RequestHead) -> ServerResponse? {
    if let refusal = refusal(ofToken: head["authorization"]) {
      // A load balancer uses this path to check whether the upload server is working.
      let isLook = head["authorization"] == nil && head.path == UploadPath.root.text
      if !isLook { tally.count { $0.strangers += 1 } }
      return refusal
    }
    guard let path = UploadPath(head.path) else {
      return UploadAnswer.error(
        404, "not-found", "unknown path; the paths of the upload protocol begin with /v1/")
    }
    let methods = path.methods
    guard methods.contains(head.method) else {
      return UploadAnswer.error(
        405, "method-not-allowed", "\(head.method) is not allowed at this address",
        fields: [RequestHead.Field("Allow", methods.joined(separator: ", "))])
    }
    guard ["PUT", "POST"].contains(head.method) else { return nil }
    let encoding = head["content-encoding"]?.lowercased() ?? "identity"
    guard ["gzip", "identity"].contains(encoding) else {
      return UploadAnswer.error(
        415, "encoding", "a body must be plain or gzip",
        fields: [RequestHead.Field("Accept-Encoding", "gzip")])
    }
    guard let digest = head["content-digest"] else {
      return UploadAnswer.error(
        400, "digest-missing", "Content-Digest is missing; send sha-256=:BASE64:")
    }
    guard ContentDigest.sha256(in: digest) != nil else {
      return UploadAnswer.error(
        400, "digest-malformed", "Content-Digest contains no SHA-256; send sha-256=:BASE64:")
    }
    return refusal(ofLargeBody: head)
  }

  /// Identifies the sender by its token, if each caller has its own token. All callers with tokens
  /// that are not known yet count as one party, so a sender gains nothing by using an unknown
  /// token.
  public func party(of head: RequestHead) -> [UInt8]? {
    guard case .ownTokens = access, let token = Self.token(in: head["authorization"]) else {
      return nil
    }
    let hash = SHA256.hash(of: token)
    return known.isGood(hash) == true ? hash : []
  }

  /// Rejects a large body if its token is invalid. If the token is not known yet, rejects the body
  /// temporarily while the token is looked up.
  private func refusal(ofLargeBody head: RequestHead) -> ServerResponse? {
    guard case .ownTokens = access,
      head["content-length"].flatMap({ Int($0) }) ?? .max > KnownTokens.bodyOfStrangers
    else { return nil }
    let hash = SHA256.hash(of: Self.token(in: head["authorization"]) ?? [])
    switch known.isGood(hash) {
    case true?: return nil
    case false?:
      tally.count { $0.strangers += 1 }
      return UploadAnswer.unknownToken
    case nil:
      _ = jobs.post(.lookUp(token: hash))
      return UploadAnswer.error(
        503, "busy", "the token is being looked up",
        fields: [RequestHead.Field("Retry-After", "1")])
    }
  }

  /// Passes a complete request to the intake thread.
  public func handle(_ head: RequestHead, body: [UInt8], reply: PendingReply) {
    guard let path = UploadPath(head.path) else { return reply.give(ServerResponse(404)) }
    var job = IntakeThread.Job(head: head, path: path, body: body, reply: reply)
    if case .ownTokens = access {
      job.token = SHA256.hash(of: Self.token(in: head["authorization"]) ?? [])
    } else if path == .root {
      return reply.give(UploadAnswer.greeting(bodyLimit: bodyLimit))
    }
    if !jobs.post(.job(job), rings: false) { reply.give(refusal(for: .stopping)) }
  }

  /// Wakes the intake thread. That thread then stores the chunks of the waiting requests together.
  public func endRound() { jobs.ring() }

  public func refusal(for reason: ServerRefusal) -> ServerResponse {
    switch reason {
    case .ambiguous(let why): UploadAnswer.error(400, "malformed", why)
    case .headTooLarge: UploadAnswer.error(431, "too-large", "the head is too long")
    case .bodyTooLarge:
      UploadAnswer.error(413, "too-large", "the body is larger than \(bodyLimit) bytes")
    case .busy:
      UploadAnswer.error(
        503, "busy", "too many requests", fields: [RequestHead.Field("Retry-After", "1")])
    case .stopping:
      UploadAnswer.error(
        503, "stopping", "the upload server is stopping",
        fields: [RequestHead.Field("Retry-After", "10")])
    }
  }

  private func refusal(ofToken field: String?) -> ServerResponse? {
    if case .everybody = access { return nil }
    guard let sent = Self.token(in: field) else {
      return UploadAnswer.unauthorized(
        "this upload server requires a token: Authorization: Bearer TOKEN")
    }
    // If each caller has its own token, only the intake can check it.
    guard case .token(let token) = access, !isEqual(sent, Array(token.utf8)) else { return nil }
    return UploadAnswer.error(403, "forbidden", "this token is not valid for this upload server")
  }

  private static func token(in field: String?) -> [UInt8]? {
    guard let field, field.prefix(7).lowercased() == "bearer " else { return nil }
    return Array(field.dropFirst(7).utf8)
  }

  /// Compares tokens in constant time, so that the comparison's duration does not reveal how many
  /// bytes match.
  private func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension UploadPath {
  fileprivate var methods: [String] {
    switch self {
    case .root, .sessions, .definitions: ["GET", "HEAD"]
    case .live: ["GET"]
    case .chunks: ["POST"]
    case .chunk, .session, .track: ["GET", "HEAD", "PUT"]
    }
  }
}
