internal import HTTPClient
internal import UploadProtocol
internal import LinuxSystem
internal import Values

/// A login file's content: the e-mail address, the password and the project's web API key.
struct LoginFile: Sendable {
  let email: String
  let password: String
  let apiKey: String

  /// Parses the file's text: JSON with `email`, `password` and `api_key`.
  init(_ text: String) throws(Setback) {
    let json = try? JSON(parsing: Array(text.utf8))
    func member(_ name: String) throws(Setback) -> String {
      guard let text = json?[name]?.text, !text.isEmpty else {
        throw Setback(
          .rejected, "the login file contains no '\(name)'",
          remedy: #"write {"email":"…","password":"…","api_key":"…"} into it"#)
      }
      return text
    }
    email = try member("email")
    password = try member("password")
    apiKey = try member("api_key")
  }

  /// Reads a login file. If `account` is given, the login must belong to that account, because one
  /// user can neither read nor extend another user's sessions.
  init(_ file: SecretFile, of account: String?) throws(Setback) {
    try self.init(try file.text())
    guard let account, self.account != account else { return }
    throw Setback(
      .rejected,
      "the login in \(file.path) does not belong to \(account), who owns this destination",
      remedy: "restore the login of \(account), or remove the destination and add it again; "
        + "everything is then sent as the other user")
  }

  /// The e-mail address in lower case, because the services ignore case.
  var account: String { email.lowercased() }
}

/// Signs in a user with an e-mail address and a password, and later with the refresh token.
struct PasswordSignIn: TokenGrants {
  let file: SecretFile
  /// The account to which the login in the file must belong; `nil` to allow any account.
  var account: String?
  let endpoints: FirestoreEndpoints
  let exchange: any HTTPExchange

  func signIn() async throws(Setback) -> SignInState.Grant {
    let login = try LoginFile(file, of: account)
    let body: JSONValue = [
      "email": login.email.json, "password": login.password.json, "returnSecureToken": true,
    ]
    let response = try await exchange.ask(
      HTTPRequest(
        "POST",
        "\(endpoints.accounts)accounts:signInWithPassword?key=\(PercentEncoding.encode(login.apiKey))",
        fields: [HTTPRequest.Field("Content-Type", "application/json")],
        body: Array(body.text.utf8)), concealing: [login.password, login.apiKey])
    let json = try? JSON(parsing: response.body)
    if response.status == 200, let token = json?["idToken"]?.text,
      let account = json?["localId"]?.text, !token.isEmpty, !account.isEmpty
    {
      return SignInState.Grant(
        token: BearerToken(text: token, account: account),
        seconds: SignInAnswer.seconds(json?["expiresIn"]), refresh: json?["refreshToken"]?.text)
    }
    throw Self.setback(response, json)
  }

  func refresh(_ token: String) async throws(Setback) -> SignInState.Grant? {
    let login = try LoginFile(file, of: account)
    let response = try await exchange.ask(
      HTTPRequest(
        "POST", "\(endpoints.tokens)token?key=\(PercentEncoding.encode(login.apiKey))",
        fields: [HTTPRequest.Field("Content-Type", "application/x-www-form-urlencoded")],
        body: Array("grant_type=refresh_token&refresh_token=\(PercentEncoding.encode(token))".utf8)),
      concealing: [token, login.apiKey])
    let json = try? JSON(parsing: response.body)
    if response.status == 200, let next = json?["id_token"]?.text,
      let account = json?["user_id"]?.text, !next.isEmpty, !account.isEmpty
    {
      return SignInState.Grant(
        token: BearerToken(text: next, account: account),
        seconds: SignInAnswer.seconds(json?["expires_in"]),
        refresh: json?["refresh_token"]?.text ?? token)
    }
    // Regardless of the reason for the rejection, signing in with the password will show whether
    // the user still has access.
    if (400..<500).contains(response.status), ![408, 425, 429].contains(response.status) {
      return nil
    }
    throw Self.setback(response, json)
  }

  private static func setback(_ response: HTTPResponse, _ json: JSON?) -> Setback {
    // Some error codes are followed by an explanation.
    let word = json?["error"]?["message"]?.text?.split(separator: " ").first.map(String.init)
    let remedy: String
    switch word {
    case "TOO_MANY_ATTEMPTS_TRY_LATER":
      return Setback(.unavailable, "signing in failed: too many attempts", rest: 60)
    case "EMAIL_NOT_FOUND", "INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS":
      remedy = "check the e-mail address and the password in the login file"
    case "USER_DISABLED": remedy = "ask the project owner to enable the account again"
    default: return SignInAnswer.setback(response, BootClock.systemTime(), word: word)
    }
    return Setback(.rejected, "signing in failed (\(word ?? ""))", remedy: remedy)
  }
}
