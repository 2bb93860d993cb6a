/// The servers, which the environment may put emulators in place of.
struct FirestoreEndpoints: Hashable, Sendable {
  /// Where documents are, with a slash at its end.
  var firestore = "https://firestore.googleapis.com/v1/"
  /// Where e-mail and password are taken.
  var accounts = "https://identitytoolkit.googleapis.com/v1/"
  /// Where refresh tokens are taken.
  var tokens = "https://securetoken.googleapis.com/v1/"
  /// Whether the documents are in an emulator, which lets its owner in without a token.
  var isEmulator = false
  /// Whether accounts are in an emulator, whose tokens that of Firestore takes.
  var hasAccountEmulator = false

  /// The usual ones, or what `FIRESTORE_EMULATOR_HOST` and `FIREBASE_AUTH_EMULATOR_HOST` say.
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
