internal import Coding
public import HTTPClient
internal import UploadProtocol
public import Values

/// The definitions at an endpoint of the upload protocol (`docs/definitions.md`).
public final class HTTPDefinitions: DefinitionsSource {
  private let gateway: UniqueID
  private let sender: HTTPDestinationSender

  /// The definitions for a gateway at the endpoint with this address.
  ///
  /// - Parameter token: the file with the bearer token.
  public init(
    url: String, gateway: UniqueID, exchange: any HTTPExchange, token: SecretFile?
  ) {
    self.gateway = gateway
    sender = HTTPDestinationSender(url: url, exchange: exchange, token: token, compresses: false)
  }

  /// Asks the endpoint. A redirect, a page of a proxy and an altered text are setbacks.
  public func fetch(unless tag: String?) async throws(Setback) -> FetchedDefinitions {
    let response = try await sender.get(.definitions(gateway: gateway), unless: tag).get()
    if response.status == 304 {
      guard tag != nil else {
        throw Setback(
          .unavailable, "the server reports no change, but no definitions are known")
      }
      return .unchanged
    }
    // The login page of a network answers at every address, with 200 or 404. It does not mean that
    // the endpoint has no definitions.
    if [200, 404].contains(response.status), HTTPDestinationAnswer.isPage(response) {
      throw HTTPDestinationReceipt.setback(for: response)
    }
    switch sender.meaning(of: response) {
    case .success where response.status == 200:
      guard isWhole(response) else {
        throw Setback(
          .unavailable, "the definitions were altered on the way",
          remedy: "check the connection, for example a proxy or a bad cable")
      }
      return .found(response.body, tag: Self.tag(of: response))
    case .success:
      throw Setback(
        .rejected, "the server answered \(response.status) without definitions",
        remedy: "check that the address points to an endpoint")
    case .notHere(let words): return .none(words)
    case .failed(let setback) where [401, 403].contains(response.status):
      throw Setback(
        setback.kind, "the server does not permit reading: \(HTTPDestinationError(response).words)",
        remedy: sender.remedyToRead(
          missing: "add the destination again with a token that permits reading: "
            + "--token-file FILE")
      ).ofDestination
    case let answer:
      switch answer.verdict(on: []) {
      case .failed(let setback): throw setback.ofDestination
      case .refused(let words):
        throw Setback(.rejected, "the server refused the definitions: \(words)")
      case .stored: throw Setback(.unavailable, "the server sent an unexpected answer")
      }
    }
  }

  /// Whether a body matches its digest, if there is one.
  private func isWhole(_ response: HTTPResponse) -> Bool {
    guard response["content-encoding"] == nil,
      let digest = response["content-digest"].flatMap(ContentDigest.sha256)
    else { return true }
    return SHA256.hash(of: response.body) == digest
  }

  /// The entity tag of a set; `nil` if it contains characters that could not be sent back.
  private static func tag(of response: HTTPResponse) -> String? {
    guard let tag = response["etag"], tag.utf8.count <= 200,
      tag.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    return tag
  }
}
