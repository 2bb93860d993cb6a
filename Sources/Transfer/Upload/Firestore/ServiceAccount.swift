internal import Coding
internal import HTTPClient
internal import UploadProtocol
internal import LinuxSystem
internal import Values

/// The content of a service account's key file.
struct ServiceAccountKey: Sendable {
  let email: String
  let keyID: String
  let tokenAddress: String
  let key: RS256Key

  /// Parses a key file's text. Errors never quote the text.
  init(_ text: String) throws(Setback) {
    func fault(_ words: String) -> Setback {
      Setback(
        .rejected, "the file is not a service account key file: \(words)",
        remedy: "create a JSON key for the account in the Google Cloud console")
    }
    guard let json = try? JSON(parsing: Array(text.utf8)) else { throw fault("it is not JSON") }
    guard json["type"]?.text == "service_account" else {
      throw fault("its 'type' is not 'service_account'")
    }
    func member(_ name: String) throws(Setback) -> String {
      guard let text = json[name]?.text, !text.isEmpty else { throw fault("it has no '\(name)'") }
      return text
    }
    email = try member("client_email")
    keyID = try member("private_key_id")
    tokenAddress = try member("token_uri")
    guard Self.isSafe(tokenAddress) else {
      throw fault("its 'token_uri' does not begin with https://")
    }
    let pem = try member("private_key")
    do throws(RS256Key.Unusable) {
      key = try RS256Key(pem: pem)
    } catch {
      throw fault(error.description)
    }
  }

  /// Returns whether it is safe to send an assertion to this address. Anyone who intercepts an
  /// assertion can use it for an hour.
  private static func isSafe(_ address: String) -> Bool {
    address.hasPrefix("https://") || address.hasPrefix("http://127.0.0.1:")
      || address.hasPrefix("http://localhost:") || address.hasPrefix("http://[::1]:")
  }

  /// An assertion's lifetime in seconds: the longest that the server accepts.
  static let lifetime: Int64 = 3_600

  /// Returns an assertion of this account's identity: a JSON web token signed with the key. `time`
  /// is in seconds since 1970.
  func assertion(at time: Int64) throws(Setback) -> String {
    let header: JSONValue = ["alg": "RS256", "typ": "JWT", "kid": keyID.json]
    let claims: JSONValue = [
      "iss": email.json, "scope": "https://www.googleapis.com/auth/datastore",
      "aud": tokenAddress.json, "iat": time.json, "exp": .integer(time + Self.lifetime),
    ]
    let text = [header, claims].map { Base64.encodeForURL(Array($0.text.utf8)) }
      .joined(separator: ".")
    guard let signature = key.signature(of: Array(text.utf8)) else {
      throw Setback(.rejected, "cannot sign with the private key in the key file")
    }
    return text + "." + Base64.encodeForURL(signature)
  }
}

struct ServiceAccountSignIn: TokenGrants {
  /// Read again for each sign-in, because someone may have replaced it.
  let file: SecretFile
  let exchange: any HTTPExchange

  func signIn() async throws(Setback) -> SignInState.Grant {
    let key = try ServiceAccountKey(try file.text())
    let now = BootClock.systemTime()
    let assertion = try key.assertion(at: now.nanoseconds / 1_000_000_000)
    let response = try await exchange.ask(
      HTTPRequest(
        "POST", key.tokenAddress,
        fields: [HTTPRequest.Field("Content-Type", "application/x-www-form-urlencoded")],
        body: Array(
          "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
            .utf8)), concealing: [assertion])
    let json = try? JSON(parsing: response.body)
    if response.status == 200, let token = json?["access_token"]?.text, !token.isEmpty {
      return SignInState.Grant(
        token: BearerToken(text: token, account: nil),
        seconds: SignInAnswer.seconds(json?["expires_in"]), refresh: nil)
    }
    throw Self.setback(response, json, now)
  }

  func refresh(_ token: String) async throws(Setback) -> SignInState.Grant? { nil }

  private static func setback(_ response: HTTPResponse, _ json: JSON?, _ now: UTCTime) -> Setback {
    let error = json?["error"]?.text
    if error == "invalid_grant" {
      // The error `invalid_grant` is nearly always due to a wrong clock, and is never a reason to
      // discard the key.
      return Setback(
        .wrongClock, "the server rejected the service account's assertion (invalid_grant)",
        remedy:
          "check this computer's clock; if it is right, the key may have been deleted")
    }
    return SignInAnswer.setback(response, now, word: error)
  }
}

/// Reads the responses to sign-in requests, both for service accounts and for passwords.
enum SignInAnswer {
  /// Reads a number of seconds that is given as a number or a string. Returns 3,600 if the value is
  /// invalid or missing.
  static func seconds(_ json: JSON?) -> Double {
    let seconds = json?.number ?? json?.text.flatMap { Double($0) } ?? 3_600
    return seconds > 0 && seconds.isFinite ? seconds : 3_600
  }

  /// Returns the setback for a response that contains no token. It quotes only one short word from
  /// the response, because the rest may contain secrets.
  static func setback(_ response: HTTPResponse, _ now: UTCTime, word: String?) -> Setback {
    let word = word.flatMap { word in
      word.utf8.count <= 60
        && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") } ? word : nil
    }
    let reason =
      "signing in failed: the server answered with status \(response.status)"
      + (word.map { " (\($0))" } ?? "")
    switch response.status {
    case 200..<300, 408, 425, 429, 500...:
      return Setback(.unavailable, reason, rest: RetryAfter.seconds(in: response, now: now))
    default:
      return Setback(.rejected, reason, remedy: "check that the key or login file is still valid")
    }
  }
}

extension SecretFile {
  /// Reads the file's content. If the file cannot be read, throws a setback that affects the whole
  /// destination.
  func text() throws(Setback) -> String {
    do throws(Failure) { return try read().revealed } catch { throw error.setback }
  }
}

extension HTTPExchange {
  /// If there is no response, throws a setback that affects the whole destination. In error
  /// responses, the request's secrets are replaced with asterisks, because parts of these responses
  /// are shown and stored.
  func ask(
    _ request: HTTPRequest, concealing secrets: [String]
  ) async throws(Setback) -> HTTPResponse {
    do throws(TransferError) {
      var response = try await perform(request)
      if !(200..<300).contains(response.status) {
        for secret in secrets { response.conceal(Secret(secret)) }
      }
      return response
    } catch {
      throw Setback(error)
    }
  }
}
