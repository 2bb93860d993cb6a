public import Upload
internal import HTTPClient
internal import LinuxSystem

/// Creates destinations from settings. No other code does so.
public enum DestinationFactory {
  /// Returns the destination that the settings describe. Throws if a named file is unusable, before
  /// anything is sent or stored.
  ///
  /// - Parameter agent: The name and version by which servers identify this program, such as
  ///   `footbridge/0.1.0`.
  public static func make(
    _ settings: DestinationSettings, agent: String
  ) throws -> any Destination {
    switch settings.place {
    case .http(let url):
      return HTTPDestination(
        settings: settings, url: url, exchange: try client(settings, agent),
        token: try token(settings), calls: settings.parallel ?? 4)
    case .folder(let path):
      return try FolderDestination(path: path)
    case .firestore:
      return try firestore(settings, try client(settings, agent))
    }
  }

  /// Returns the file with the settings' bearer token, after checking that it is readable. Returns
  /// `nil` without a token.
  private static func token(_ settings: DestinationSettings) throws -> SecretFile? {
    guard case .token(let file) = settings.credentials else { return nil }
    let secret = SecretFile(file)
    _ = try secret.readLine()
    return secret
  }

  /// Returns the definitions at the destination that the settings describe. Returns `nil` for a
  /// kind of destination without definitions, such as a folder.
  public static func definitions(
    _ settings: DestinationSettings, agent: String
  ) throws -> (any DefinitionsSource)? {
    func patient(_ options: inout HTTPClientOptions) {
      // Definitions are small. A server that sends data endlessly is soon disconnected.
      options.largestAnswer = 2 * DefinitionsPull.largest
      options.stallSeconds = 30
      options.answerSeconds = 30
    }
    switch settings.place {
    case .folder: return nil
    case .http(let url):
      return HTTPDefinitions(
        url: url, gateway: try GatewayIdentity.read(),
        exchange: try client(settings, agent, limits: patient), token: try token(settings))
    case .firestore:
      return FirestoreDefinitions(
        in: try firestorePlace(settings), credentials: settings.credentials,
        over: try client(settings, agent, limits: patient), environment: Environment.variables)
    }
  }

  /// Returns the sessions at the endpoint that the settings describe, or `nil` for other kinds of
  /// destination.
  public static func library(
    _ settings: DestinationSettings, agent: String
  ) throws -> EndpointLibrary? {
    guard case .http(let url) = settings.place else { return nil }
    return EndpointLibrary(
      url: url,
      exchange: try client(settings, agent) {
        // A person is waiting for the result.
        $0.stallSeconds = 20
        $0.answerSeconds = 60
      }, token: try token(settings), parallel: settings.parallel ?? 8)
  }

  /// Returns a client with the settings' connection options.
  static func client(
    _ settings: DestinationSettings, _ agent: String,
    limits: (inout HTTPClientOptions) -> Void = { _ in }
  ) throws -> HTTPClient {
    for file in [settings.authorityFile, settings.certificateFile].compactMap({ $0 })
    where !Folder.exists(file) {
      throw UploadError("there is no file \(file)", remedy: "specify the certificate file")
    }
    if let file = settings.certificateFile, SecretFile.holdsKey(file) {
      _ = try SecretFile(file).checkedPath()
    }
    // The HTTP library reads the key itself, and does not support systemd's credentials.
    let keyFile = try settings.certificateKeyFile.map { try SecretFile($0).checkedPath() }
    var options = HTTPClientOptions()
    options.agent = agent
    options.authorityFile = settings.authorityFile
    options.certificateFile = settings.certificateFile
    options.certificateKeyFile = keyFile
    if let proxy = settings.proxy { options.proxy = .address(proxy) }
    options.bytesPerSecond = settings.bytesPerSecond
    limits(&options)
    return try HTTPClient(options)
  }
}
