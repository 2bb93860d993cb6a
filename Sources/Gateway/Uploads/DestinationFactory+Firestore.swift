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
  /// destination's address. Returns `nil` if the settings specify no login. Throws if the settings
  /// name a different account.
  public static func account(of settings: DestinationSettings) throws -> String? {
    guard case .login(let file) = settings.credentials else { return nil }
    return try FirestorePlace.account(ofLogin: SecretFile(file), expecting: settings.account)
  }

  /// Creates a publisher of positions in the Firestore database that the settings describe. `name`
  /// is the name that the user gave to this gateway.
  static func liveLocation(
    _ settings: DestinationSettings, named name: String?, agent: String
  ) throws -> LiveLocation {
    LiveLocation(
      to: try firestorePlace(settings), named: name, credentials: settings.credentials,
      over: try client(settings, agent), environment: Environment.variables)
  }

  /// Creates a reader of the positions that other gateways publish in the Firestore database that
  /// the settings describe.
  static func publishedLocations(
    _ settings: DestinationSettings, agent: String
  ) throws -> PublishedLocations {
    func patient(_ options: inout HTTPClientOptions) {
      // A page waits for the response. A position document is smaller than a kilobyte, but other
      // users may add fields.
      options.largestAnswer = 1_048_576
      options.stallSeconds = 15
      options.answerSeconds = 15
    }
    return PublishedLocations(
      in: try firestorePlace(settings), credentials: settings.credentials,
      over: try client(settings, agent, limits: patient), environment: Environment.variables)
  }

  static func firestorePlace(_ settings: DestinationSettings) throws -> FirestorePlace {
    guard case .firestore(let project, let database, let layout) = settings.place else {
      throw UploadError(
        "the destination is not a Firestore database",
        remedy: "specify a destination that was added with '--firestore'")
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
