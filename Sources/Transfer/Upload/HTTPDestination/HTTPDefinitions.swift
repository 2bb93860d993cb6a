internal import Coding
public import HTTPClient
internal import UploadProtocol
public import Values

/// Fetches the definitions from an endpoint of the upload protocol (`docs/definitions.md`).
public final class HTTPDefinitions: DefinitionsSource {
  private let gateway: UniqueID
  private let sender: HTTPDestinationSender

  /// Creates a source of definitions for a gateway at the endpoint that has this URL.
  ///
  /// - Parameter token: the file that contains the bearer token.
  public init(
    url: String, gateway: UniqueID, exchange: any HTTPExchange, token: SecretFile?
  ) {
    self.gateway = gateway
    sender = HTTPDestinationSender(url: url, exchange: exchange, token: token, compresses: false)
  }

  /// Requests the definitions. A redirect, a proxy's page or altered content results in a setback.
  public func fetch(unless tag: String?) async throws(Setback) -> FetchedDefinitions {
    let response = try await sender.get(.definitions(gateway: gateway), unless: tag).get()
    if response.status == 304 {
      guard tag != nil else {
        throw Setback(
          .unavailable, "the server reports unchanged definitions, but this gateway has none")
      }
      return .unchanged
    }
    // A network that requires a login responds to a request for any URL with its own page and a
    // status of 200 or 404. Such a page does not mean that the endpoint has no definitions.
    if [200, 404].contains(response.status), HTTPDestinationAnswer.isPage(response) {
      throw HTTPDestinationReceipt.setback(for: response)
    }
    switch sender.meaning(of: response) {
    case .success where response.status == 200:
      guard isWhole(response) else {
        throw Setback(
          .unavailable, "the definitions were altered in transit",
          remedy: "check the connection: a proxy or a faulty cable may have altered the data")
      }
      return .found(response.body, tag: Self.tag(of: response))
    case .success:
      throw Setback(
        .rejected, "the server responded with status \(response.status), but without definitions",
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
        throw Setback(.rejected, "the server rejected the request for definitions: \(words)")
      case .stored: throw Setback(.unavailable, "the server sent an unexpected response")
      }
    }
  }

  /// Returns whether a body matches the digest in its response. A response without a digest is
  /// accepted.
  private func isWhole(_ response: HTTPResponse) -> Bool {
    guard response["content-encoding"] == nil,
      let digest = response["content-digest"].flatMap(ContentDigest.sha256)
    else { return true }
    return SHA256.hash(of: response.body) == digest
  }

  /// Returns the definitions' entity tag, or `nil` if it is missing, too long, or contains
  /// characters that cannot be sent back.
  private static func tag(of response: HTTPResponse) -> String? {
    guard let tag = response["etag"], tag.utf8.count <= 200,
      tag.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    return tag
  }
}
