internal import HTTPClient
internal import LinuxSystem
public import Upload

/// The one place that makes destinations from settings.
public enum DestinationFactory {
  /// The destination that settings describe. The factory checks the named files: unusable ones are
  /// refused before anything is sent or stored.
  ///
  /// - Parameter agent: The program's name to servers, as `footbridge/0.1.0`.
  public static func make(
    _ settings: DestinationSettings, agent: String
  ) throws -> any Destination {
    switch settings.place {
    case .http(let url):
      var token: SecretFile?
      if case .token(let file) = settings.credentials {
        let secret = SecretFile(file)
        try check { () throws(SecretFile.Failure) in _ = try secret.readLine() }
        token = secret
      }
      return HTTPDestination(
        settings: settings, url: url, exchange: try client(settings, agent), token: token,
        calls: settings.parallel ?? 4)
    case .folder(let path):
      return try FolderDestination(path: path)
    case .firestore:
      return try firestore(settings, try client(settings, agent))
    }
  }

  /// A client with the settings' options for the connection.
  static func client(
    _ settings: DestinationSettings, _ agent: String
  ) throws -> HTTPClient {
    for file in [settings.authorityFile, settings.certificateFile].compactMap({ $0 })
    where !Folder.exists(file) {
      throw UploadError("there is no file \(file)", remedy: "name the file with the certificate")
    }
    if let file = settings.certificateFile, SecretFile.holdsKey(file) {
      try check { () throws(SecretFile.Failure) in _ = try SecretFile(file).checkedPath() }
    }
    var keyFile: String?
    if let key = settings.certificateKeyFile {
      // The library reads the key itself, and knows nothing of systemd's credentials.
      try check { () throws(SecretFile.Failure) in keyFile = try SecretFile(key).checkedPath() }
    }
    var options = HTTPClientOptions()
    options.agent = agent
    options.authorityFile = settings.authorityFile
    options.certificateFile = settings.certificateFile
    options.certificateKeyFile = keyFile
    if let proxy = settings.proxy { options.proxy = .address(proxy) }
    options.bytesPerSecond = settings.bytesPerSecond
    return try HTTPClient(options)
  }

  static func check(_ read: () throws(SecretFile.Failure) -> Void) throws(UploadError) {
    do throws(SecretFile.Failure) {
      try read()
    } catch {
      throw UploadError(error.reason, remedy: error.remedy)
    }
  }
}
