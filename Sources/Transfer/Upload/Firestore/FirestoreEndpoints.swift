/// The base URLs of the services. The environment may replace them with those of emulators.
struct FirestoreEndpoints: Hashable, Sendable {
  /// The base URL of the documents, ending in a slash.
  var firestore = "https://firestore.googleapis.com/v1/"
  /// The base URL of the service that accepts an e-mail address and a password.
  var accounts = "https://identitytoolkit.googleapis.com/v1/"
  /// The base URL of the service that accepts refresh tokens.
  var tokens = "https://securetoken.googleapis.com/v1/"
  /// Whether documents are stored in an emulator. An emulator accepts requests from its owner
  /// without a real token.
  var isEmulator = false
  /// Whether accounts are managed by an emulator. The Firestore emulator accepts the account
  /// emulator's tokens.
  var hasAccountEmulator = false

  /// Creates endpoints with the default base URLs, or with those in `FIRESTORE_EMULATOR_HOST` and
  /// `FIREBASE_AUTH_EMULATOR_HOST`.
  init(environment: [String: String] = [:]) {
    if let host = environment["FIRESTORE_EMULATOR_HOST"], !host.isEmpty {
      firestore = "http://\(host)/v1/"
      isEmulator = true
    }
    if let host = environment["FIREBASE_AUTH_EMULATOR_HOST"], !host.isEmpty {
      accounts = "http://\(host)/identitytoolkit.googleapis.com/v1/"
      tokens = "http://\(host)/securetoken.googleapis.com/v1/"
      hasAccountEmulator = true
    }
  }
}
