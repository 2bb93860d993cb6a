internal import HTTPClient

/// Provides access to a database on behalf of the user who owns the documents.
struct FirestoreAccount: Sendable {
  let access: FirestoreAccess
  private let gateway: String

  /// Creates the account for a place and signs in with the given credentials when needed. The
  /// environment may specify emulators.
  init(
    _ place: FirestorePlace, _ credentials: DestinationSettings.Credentials,
    over exchange: any HTTPExchange,
    pack: FirestorePacking? = nil, environment: [String: String]
  ) {
    let endpoints = FirestoreEndpoints(environment: environment)
    let signIn: any SignIn
    switch credentials {
    case .login(let file) where !endpoints.isEmulator || endpoints.hasAccountEmulator:
      signIn = TokenKeeper(
        PasswordSignIn(
          file: SecretFile(file), account: place.account, endpoints: endpoints, exchange: exchange))
    case .key(let file) where !endpoints.isEmulator:
      signIn = TokenKeeper(ServiceAccountSignIn(file: SecretFile(file), exchange: exchange))
    case .none, .token, .key, .login:
      signIn = endpoints.isEmulator ? OwnerSignIn() : Stranger()
    }
    access = FirestoreAccess(
      FirestoreDatabase(project: place.project, database: place.database), endpoints: endpoints,
      signIn: signIn, over: exchange, pack: pack)
    gateway = place.gateway
  }

  /// Returns the user that documents must name: the signed-in user, or the gateway if no user is
  /// signed in.
  func user() async throws(FirestoreFailure) -> String {
    try await access.account() ?? gateway
  }
}

/// A substitute for missing credentials. Every request fails with an error that suggests adding
/// credentials.
private struct Stranger: SignIn {
  func token() async throws(Setback) -> BearerToken {
    throw Setback(
      .rejected, "Firestore requires credentials",
      remedy: "add the destination with '--key-file' or '--login-file'")
  }

  func reject(_ token: BearerToken) {}
}
