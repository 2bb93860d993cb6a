public import Upload
internal import HTTPClient
internal import UploadProtocol
internal import LinuxSystem
internal import Values
internal import Coding

extension DestinationFactory {
  static func firestore(
    _ settings: DestinationSettings, _ exchange: any HTTPExchange
  ) throws -> FirestoreDestination {
    var pack: FirestorePacking?
    if settings.compresses { pack = { Gzip.pack($0) } }
    return FirestoreDestination(
      try firestorePlace(settings), credentials: settings.credentials, over: exchange, pack: pack,
      environment: Environment.variables)
  }

  /// Returns a user's library in the Firestore database that the settings describe. If the settings
  /// do not name a user, the library belongs to the signed-in user.
  public static func firestoreLibrary(
    _ settings: DestinationSettings, user: String?, agent: String
  ) throws -> FirestoreLibrary {
    FirestoreLibrary(
      try firestorePlace(settings), credentials: settings.credentials,
      over: try client(settings, agent), user: user, environment: Environment.variables)
  }

  /// Returns the account of the login that the settings specify. The account is part of the
  /// destination's address. Returns `nil` without a login. Throws if the settings name a different
  /// account.
  public static func account(of settings: DestinationSettings) throws -> String? {
    guard case .login(let file) = settings.credentials else { return nil }
    return try FirestorePlace.account(ofLogin: SecretFile(file), expecting: settings.account)
  }

  /// Creates a publisher of positions in the Firestore database that the settings describe.
  static func liveLocation(
    _ settings: DestinationSettings, agent: String
  ) throws -> LiveLocation {
    LiveLocation(
      to: try firestorePlace(settings), credentials: settings.credentials,
      over: try client(settings, agent), environment: Environment.variables)
  }

  static func firestorePlace(_ settings: DestinationSettings) throws -> FirestorePlace {
    guard case .firestore(let project, let database, let layout) = settings.place else {
      throw UploadError(
        "the destination is not a Firestore database",
        remedy: "name a destination that was added with '--firestore'")
    }
    if case .key(let file) = settings.credentials {
      _ = try SecretFile(file).read()
      try FirestorePlace.check(keyOf: SecretFile(file))
    }
    _ = try account(of: settings)
    let place = FirestorePlace(
      project: project, database: database, layout: layout,
      gateway: try GatewayIdentity.read().description.uppercased(), account: settings.account)
    if let obstacle = place.obstacle { throw UploadError(obstacle) }
    return place
  }
}
