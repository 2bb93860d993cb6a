/// The addresses of the services. The environment may replace them with emulators.
struct FirestoreEndpoints: Hashable, Sendable {
  /// The address for documents, with a slash at its end.
  var firestore = "https://firestore.googleapis.com/v1/"
  /// The address that accepts e-mail and password.
  var accounts = "https://identitytoolkit.googleapis.com/v1/"
  /// The address that accepts refresh tokens.
  var tokens = "https://securetoken.googleapis.com/v1/"
  /// Whether documents are in an emulator, which lets its owner in without a token.
  var isEmulator = false
  /// Whether accounts are in an emulator; the Firestore emulator accepts its tokens.
  var hasAccountEmulator = false

  /// The usual addresses, or those in `FIRESTORE_EMULATOR_HOST` and `FIREBASE_AUTH_EMULATOR_HOST`.
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
