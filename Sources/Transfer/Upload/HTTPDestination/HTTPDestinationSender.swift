internal import Coding
internal import Glibc
public import HTTPClient
internal import UploadProtocol
internal import LinuxSystem
internal import Recording
internal import Values

/// Sends one destination's requests. Adds the token and digests, and makes only the kinds of
/// requests that the endpoint accepts.
final class HTTPDestinationSender: Sendable {
  /// Properties of the endpoint that its responses have revealed. They are not stored, so each run
  /// determines them again.
  struct Known {
    /// Whether the endpoint responded to the greeting according to the protocol.
    var isEndpoint = false
    /// Whether the endpoint's responses contain a body. An endpoint that has sent a body once is
    /// expected to send one every time.
    var usesWords = false
    var takesBatches = true
    var takesGzip = true
    /// A body's maximum size in bytes, if known.
    var largestBody: Int?
    var token: Secret?
  }

  /// A body's media type.
  enum ContentType: String {
    case chunk = "application/vnd.footbridge.chunk"
    case batch = "application/vnd.footbridge.chunk-batch"
    case json = "application/json"
  }

  private let base: String
  private let exchange: any HTTPExchange
  private let tokenFile: SecretFile?
  private let compresses: Bool
  private let state = Guarded(Known())

  init(url: String, exchange: any HTTPExchange, token: SecretFile?, compresses: Bool) {
    var base = url
    while base.hasSuffix("/") { base.removeLast() }
    self.base = base
    self.exchange = exchange
    tokenFile = token
    self.compresses = compresses
  }

  /// Returns the remedy to show if a server does not permit reading, or `missing` if no token is
  /// configured.
  func remedyToRead(missing: String) -> String {
    tokenFile.map {
      "check that the token in \($0.path) is correct and permits reading"
    }
      ?? missing
  }

  var known: Known { state.withLock { $0 } }

  /// Records a property of the endpoint that a response has revealed.
  func learn(_ lesson: (inout Known) -> Void) {
    state.withLock { lesson(&$0) }
  }

  func meaning(of response: HTTPResponse) -> HTTPDestinationAnswer {
    let meaning = HTTPDestinationAnswer(response, at: Self.now())
    guard [401, 403].contains(response.status), case .failed(var setback) = meaning else {
      return meaning
    }
    setback.remedy =
      tokenFile.map {
        "check that the token in \($0.path) is correct and permits writing"
      }
      ?? "name a token file with --token-file; 'footbridge destination add' with the same name "
      + "replaces the settings"
    return .failed(setback)
  }

  // MARK: Requests

  /// Sends a body and returns the response to it. If necessary, retries without compression, with a
  /// newer token, or once more if the body was altered in transit.
  func send(
    _ method: String, _ path: UploadPath, _ content: [UInt8], type: ContentType
  ) async -> Result<HTTPResponse, Setback> {
    // Chunks are already compressed, so gzip would save too few bytes to be worth the time.
    if compresses, type == .json, known.takesGzip, let packed = Gzip.pack(content) {
      let outcome = await send(method, path, packed, type, coding: "gzip")
      guard case .success(let response) = outcome, [400, 415].contains(response.status) else {
        return outcome
      }
      let plain = await sendTwice(method, path, content, type)
      if case .success(let response) = plain, (200..<300).contains(response.status) {
        learn { $0.takesGzip = false }
      }
      return plain
    }
    return await sendTwice(method, path, content, type)
  }

  /// Sends one item with PUT, and returns the response's meaning.
  func put(
    _ content: [UInt8], at path: UploadPath, type: ContentType
  ) async -> Result<HTTPDestinationAnswer, Setback> {
    await send("PUT", path, content, type: type).map { response in
      let answer = meaning(of: response)
      switch answer {
      case .success(.held), .success(.replaced): learn { $0.usesWords = true }
      default: break
      }
      return answer
    }
  }

  private func sendTwice(
    _ method: String, _ path: UploadPath, _ content: [UInt8], _ type: ContentType
  ) async -> Result<HTTPResponse, Setback> {
    let outcome = await send(method, path, content, type, coding: nil)
    if case .success(let response) = outcome, case .altered = meaning(of: response) {
      return await send(method, path, content, type, coding: nil)
    }
    return outcome
  }

  private func send(
    _ method: String, _ path: UploadPath, _ content: [UInt8], _ type: ContentType, coding: String?
  ) async -> Result<HTTPResponse, Setback> {
    let hash = SHA256.hash(of: content)
    var fields = [
      HTTPRequest.Field("Content-Type", type.rawValue),
      HTTPRequest.Field("Content-Digest", ContentDigest.text(hash)),
      HTTPRequest.Field("Idempotency-Key", "\"\(Self.key(path, hash))\""),
    ]
    if let coding { fields.append(HTTPRequest.Field("Content-Encoding", coding)) }
    let request = HTTPRequest(method, base + path.text, fields: fields, body: content)
    return await perform(request).flatMap { response in
      Self.isAnswer(response, to: hash) ? .success(response) : .failure(Self.mixedUp)
    }
  }

  /// Returns whether a response can belong to the body that has this hash. A response without a
  /// hash can belong to any body.
  private static func isAnswer(_ response: HTTPResponse, to hash: [UInt8]) -> Bool {
    guard let words = EndpointWords(response.body) else { return true }
    // The endpoint has different content under this id but reports success.
    if [200, 201].contains(response.status), let held = words.held,
      held.text.flatMap(ContentDigest.sha256) != hash
    {
      return false
    }
    guard let digest = words.digest else { return true }
    return digest.text.flatMap(ContentDigest.sha256) == hash
  }

  private static let mixedUp = Setback(
    .unavailable, "the response belongs to another request",
    remedy: "check for an intermediate proxy that mixes up responses")

  /// Returns an idempotency key for this exact request. A changed record needs a new key, because a
  /// proxy may answer a known key with a cached response.
  private static func key(_ path: UploadPath, _ hash: [UInt8]) -> String {
    let digits = Hexadecimal.text(hash.prefix(16))
    return switch path {
    case .chunk(let id): "\(id)"
    case .session(let id): "\(id).\(digits)"
    case .track(let id, let first): "\(id).\(first).\(digits)"
    default: digits
    }
  }

  /// Sends one request with the token. If the server rejects the token, reads the token's file
  /// again, because someone may have replaced it.
  private func perform(_ request: HTTPRequest) async -> Result<HTTPResponse, Setback> {
    do throws(Setback) {
      let token = try token()
      var response = try await exchange(request, token)
      if [401, 403].contains(response.status), let token, let file = tokenFile {
        let newer = try read(file)
        if newer.revealed != token.revealed {
          learn { $0.token = newer }
          response = try await exchange(request, newer)
        }
      }
      return .success(response)
    } catch {
      return .failure(error)
    }
  }

  private func exchange(_ request: HTTPRequest, _ token: Secret?) async throws(Setback)
    -> HTTPResponse
  {
    var request = request
    if let token {
      request.fields.append(.init("Authorization", "Bearer " + token.revealed))
    }
    do throws(TransferError) {
      var response = try await exchange.perform(request)
      if let token { response.conceal(token) }
      return response
    } catch {
      throw Setback(error)
    }
  }

  private func token() throws(Setback) -> Secret? {
    guard let tokenFile else { return nil }
    if let token = known.token { return token }
    let token = try read(tokenFile)
    learn { $0.token = token }
    return token
  }

  private func read(_ file: SecretFile) throws(Setback) -> Secret {
    do throws(SecretFile.Failure) {
      return try file.readLine()
    } catch {
      throw error.setback
    }
  }

  // MARK: Reading

  /// Requests an item. If the item's entity tag is still `tag`, the server does not send the item
  /// again.
  func get(
    _ path: UploadPath, query: String = "", unless tag: String? = nil
  ) async -> Result<HTTPResponse, Setback> {
    let condition = tag.map { [HTTPRequest.Field("If-None-Match", $0)] } ?? []
    return await perform(HTTPRequest("GET", base + path.text + query, fields: condition))
  }

  /// Returns the hash of the content that the endpoint has under this id, or `nil` if the endpoint
  /// does not report it.
  func heldHash(of id: UniqueID) async -> Result<[UInt8]?, Setback> {
    await perform(HTTPRequest("HEAD", base + UploadPath.chunk(id).text)).map { response in
      guard (200..<300).contains(response.status) else { return nil }
      return ["repr-digest", "content-digest"].lazy
        .compactMap { response[$0].flatMap(ContentDigest.sha256) }.first
    }
  }

  /// Asks the endpoint whether this gateway may upload, and which kinds of requests it accepts.
  func greet() async -> Setback? {
    switch await perform(HTTPRequest("GET", base + UploadPath.root.text)) {
    case .failure(let setback): return setback
    case .success(let response):
      let answer = meaning(of: response)
      guard case .success = answer else {
        switch answer.verdict(on: []) {
        case .failed(let setback): return setback.ofDestination
        case .refused(let words):
          return Setback(.rejected, "the server does not accept uploads: \(words)")
        case .stored: return nil
        }
      }
      guard let json = try? JSON(parsing: response.body), let format = json["format"]?.integer
      else { return HTTPDestinationReceipt.setback(for: response) }
      guard format == 1 else {
        return Setback(
          .rejected, "the endpoint uses version \(format) of the upload protocol, not 1",
          remedy: "install a later version of Footbridge")
      }
      learn { known in
        known.isEndpoint = true
        if let batch = json["batch"]?.bool { known.takesBatches = batch }
        if let limit = json["maximum_body"]?.integer, limit > 0 { known.largestBody = limit }
      }
      return nil
    }
  }

  private static func now() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec)
  }
}

extension Setback {
  /// Creates the setback for a request that received no response.
  public init(_ error: TransferError) {
    let kind: Kind =
      switch error.kind {
      case .unreachable, .interrupted, .cancelled: .unavailable
      case .untrusted where error.isAboutTheClock: .wrongClock
      case .untrusted, .impossible: .rejected
      }
    self.init(kind, error.reason, remedy: error.remedy)
  }
}
