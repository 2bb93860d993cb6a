internal import Coding
public import HTTPClient
internal import UploadProtocol
public import Values

/// The definitions at an endpoint of the upload protocol (`docs/definitions.md`).
public final class HTTPDefinitions: DefinitionsSource {
  private let gateway: UniqueID
  private let sender: HTTPDestinationSender

  /// The definitions that the endpoint at this address has for a gateway.
  ///
  /// - Parameter token: the file of the bearer token.
  public init(
    url: String, gateway: UniqueID, exchange: any HTTPExchange, token: SecretFile?
  ) {
    self.gateway = gateway
    sender = HTTPDestinationSender(url: url, exchange: exchange, token: token, compresses: false)
  }

  /// Asks the endpoint. A redirection, a page of a proxy and an altered text are setbacks.
  public func fetch(unless tag: String?) async throws(Setback) -> FetchedDefinitions {
    let response = try await sender.get(.definitions(gateway: gateway), unless: tag).get()
    if response.status == 304 {
      guard tag != nil else {
        throw Setback(
          .unavailable, "the server says that nothing has changed, but nothing is known")
      }
      return .unchanged
    }
    // The log-in page of a network answers for every address, with 200 or 404. It does not say
    // that the endpoint has no definitions.
    if [200, 404].contains(response.status), HTTPDestinationAnswer.isPage(response) {
      throw HTTPDestinationReceipt.setback(for: response)
    }
    switch sender.meaning(of: response) {
    case .success where response.status == 200:
      guard isWhole(response) else {
        throw Setback(
          .unavailable, "the definitions arrived altered",
          remedy: "something on the way changes them, such as a proxy or a bad cable")
      }
      return .found(response.body, tag: Self.tag(of: response))
    case .success:
      throw Setback(
        .rejected, "the server answers with status \(response.status) and no definitions",
        remedy: "see that the address is that of an endpoint")
    case .notHere(let words): return .none(words)
    case .failed(let setback) where [401, 403].contains(response.status):
      throw Setback(
        setback.kind, "the server does not let us read: \(HTTPDestinationError(response).words)",
        remedy: sender.remedyToRead(
          missing: "give the destination a token that may read there: add it again with "
            + "--token-file FILE")
      ).ofDestination
    case let answer:
      switch answer.verdict(on: []) {
      case .failed(let setback): throw setback.ofDestination
      case .refused(let words):
        throw Setback(.rejected, "the server does not give definitions: \(words)")
      case .stored: throw Setback(.unavailable, "the server's answer is none to the question")
      }
    }
  }

  /// Whether a body is the one that its digest promises, if there is one.
  private func isWhole(_ response: HTTPResponse) -> Bool {
    guard response["content-encoding"] == nil,
      let digest = response["content-digest"].flatMap(ContentDigest.sha256)
    else { return true }
    return SHA256.hash(of: response.body) == digest
  }

  /// The mark of a set. One with strange characters could not be sent back.
  private static func tag(of response: HTTPResponse) -> String? {
    guard let tag = response["etag"], tag.utf8.count <= 200,
      tag.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    return tag
  }
}
