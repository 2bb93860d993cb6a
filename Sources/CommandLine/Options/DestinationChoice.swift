internal import LinuxSystem
internal import Terminal
internal import Upload

/// Checks and converts the destination settings that the user typed, before anything is opened or
/// stored.
enum DestinationChoice {
  private static func usage(
    _ message: String, _ remedy: String, command: String = "destination"
  ) -> Complaint {
    .usage(message, remedy: remedy, command: "\(Version.program) \(command)")
  }

  /// Throws if options contradict each other, or if the name is missing or invalid.
  static func check(_ configuration: DestinationCommand) throws(Complaint) {
    let word = configuration.action.rawValue
    if configuration.action != .add {
      var bare = DestinationCommand(store: configuration.store)
      bare.action = configuration.action
      bare.name = configuration.name
      bare.reportsJSON = configuration.reportsJSON
      guard bare == configuration else {
        throw usage(
          "settings cannot be used with '\(word)'",
          "use 'footbridge destination add NAME' and its settings")
      }
    }
    switch (configuration.action, configuration.name) {
    case (.list, nil): return
    case (.list, let name?): throw usage("unexpected argument '\(name)'", "leave it out")
    case (_, nil):
      throw usage("'NAME' is missing", "use 'footbridge destination \(word) NAME'")
    case (_, let name?):
      guard DestinationName.isFit(name) else {
        throw usage(
          "'NAME' cannot be '\(name)'", "NAME is \(DestinationName.rule)")
      }
    }
  }

  static func settings(
    _ configuration: DestinationCommand
  ) throws(Complaint) -> DestinationSettings {
    var settings = DestinationSettings(try place(configuration))
    let files = [
      ("token-file", configuration.tokenFile), ("key-file", configuration.keyFile),
      ("login-file", configuration.loginFile),
    ].compactMap { name, file in file.map { (name, path($0)) } }
    guard files.count < 2 else {
      throw usage(
        "'--\(files[0].0)' and '--\(files[1].0)' cannot be used together", "leave one of them out")
    }
    switch (settings.place, files.first) {
    case (_, nil): break
    case (.http, ("token-file", let file)?): settings.credentials = .token(file: file)
    case (.firestore, ("key-file", let file)?): settings.credentials = .key(file: file)
    case (.firestore, ("login-file", let file)?): settings.credentials = .login(file: file)
    case (_, let (name, _)?):
      throw usage(
        "'--\(name)' cannot be used with '--\(settings.place.kind)'",
        "--token-file is for --http; --key-file and --login-file are for --firestore")
    }
    try setConnection(&settings, configuration)
    settings.bytesPerSecond = configuration.limit.map { max(1, Int(($0 * 1_000).rounded())) }
    settings.parallel = configuration.parallel.map(Int.init)
    settings.newestFirst = configuration.newestFirst
    settings.hours = configuration.hours
    return settings
  }

  private static func place(
    _ configuration: DestinationCommand
  ) throws(Complaint) -> DestinationSettings.Place {
    if configuration.project == nil {
      guard configuration.layout == nil, configuration.database == nil else {
        throw usage(
          "'--layout' and '--database' need '--firestore'", "give a project, or leave them out")
      }
    }
    if let typed = configuration.url { return try endpoint(typed) }
    if let project = configuration.project {
      let database = configuration.database ?? "(default)"
      guard isFirestoreName(project), database == "(default)" || isFirestoreName(database) else {
        throw usage(
          "'--firestore' accepts only a project name, and '--database' only a database name",
          "as in --firestore walks-1234; 'gcloud firestore databases list' lists your databases")
      }
      return .firestore(
        project: project, database: database, layout: configuration.layout ?? .compact)
    }
    if let folder = configuration.folder { return .folder(path: absolute(folder)) }
    throw usage(
      "no destination given", "add --http URL, --firestore PROJECT or --folder PATH")
  }

  /// Returns the upload endpoint at an address that the user typed.
  static func endpoint(
    _ typed: String, command: String = "destination"
  ) throws(Complaint) -> DestinationSettings.Place {
    do throws(EndpointAddress.Misfit) {
      return .http(url: try EndpointAddress(typed).text)
    } catch {
      throw misfit(error, command)
    }
  }

  private static func isFirestoreName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d
          || $0 == 0x2e || $0 == 0x3a
      }
  }

  private static func setConnection(
    _ settings: inout DestinationSettings, _ configuration: DestinationCommand
  ) throws(Complaint) {
    let files = [
      configuration.authorityFile, configuration.certificateFile, configuration.certificateKeyFile,
      configuration.proxy,
    ]
    if case .folder = settings.place {
      guard files.allSatisfy({ $0 == nil }), !configuration.compresses, configuration.limit == nil
      else {
        throw usage(
          "'--folder' does not accept connection settings",
          "leave out --ca-file, --certificate, --certificate-key, --proxy, --compress and --limit")
      }
    }
    guard configuration.certificateKeyFile == nil || configuration.certificateFile != nil else {
      throw usage("'--certificate-key' needs '--certificate'", "give both files")
    }
    if let proxy = configuration.proxy {
      do throws(EndpointAddress.Misfit) {
        settings.proxy = try EndpointAddress(proxy).text
      } catch {
        throw misfit(error)
      }
    }
    settings.authorityFile = configuration.authorityFile.map(absolute)
    settings.certificateFile = configuration.certificateFile.map(absolute)
    settings.certificateKeyFile = configuration.certificateKeyFile.map(path)
    settings.compresses = configuration.compresses
  }

  /// Returns the reason why an address is invalid. The message does not contain the address, which
  /// may include a password.
  private static func misfit(
    _ misfit: EndpointAddress.Misfit, _ command: String = "destination"
  ) -> Complaint {
    switch misfit {
    case .noAddress:
      usage(
        "invalid web address", "use the form https://HOST or https://HOST:PORT/PATH",
        command: command)
    case .hasSecret:
      usage(
        "the address contains a user name or a password, which would be stored where others can see it",
        "leave out the part before the '@'; a token belongs in a file: --token-file FILE",
        command: command)
    case .hasQuery:
      usage("the address contains a part after '?' or '#'", "leave it out", command: command)
    }
  }

  /// Returns a secret file's absolute path. A systemd credential's name is returned unchanged.
  private static func path(_ file: String) -> String {
    let isCredential =
      file.hasPrefix("credential:") || !file.contains("/") && !Folder.exists(absolute(file))
    return isCredential ? file : absolute(file)
  }

  private static func absolute(_ path: String) -> String { Folder.absolute(path) }
}
