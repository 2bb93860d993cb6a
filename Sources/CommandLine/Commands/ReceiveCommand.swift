internal import FleetStore
internal import Gateway
internal import HTTPServer
internal import LinuxSystem
internal import LiveServer
internal import ObjectStore
internal import SessionFolder
internal import Storage
internal import Upload
internal import UploadServer
internal import Values
internal import WebAccess
internal import WebServer

/// `footbridge receive`.
struct ReceiveCommand: Verb {
  /// The store or folder that gets what comes in.
  var into: String?
  /// Where it listens.
  var address = standardAddress
  /// The file or folder with definitions for gateways.
  var definitions: String?
  /// The file with what gateways have to know; everybody may send if there is none.
  var tokenFile: String?
  /// The file with a certificate, for TLS.
  var certificateFile: String?
  /// The file with the certificate's key.
  var keyFile: String?
  /// The bucket that gets sealed sessions.
  var objects: String?
  /// The region of the bucket.
  var region: String?
  /// The file with the key of the bucket.
  var objectsKeyFile: String?
  /// Minutes in which nothing comes of a session before it is sealed.
  var sealAfter = 10.0
  /// Where the page is served; `nil` for nowhere.
  var page: ListenAddress?
  /// The map of the page.
  var tiles: String?
  /// The store that a command without one would use.
  var store: StoreLocation
  /// The environment, which may have the key of the bucket.
  var environment: [String: String] = [:]
  /// The broker with what gateways tell of themselves.
  var broker = BrokerChoice()
  /// Whether start and outcome are JSON instead of text.
  var reportsJSON = false

  /// Only programs of this computer reach it.
  static let standardAddress = ListenAddress(host: "127.0.0.1", port: 8_420)

  /// Its options, in the order of the help.
  static let options: [Option<ReceiveCommand>] =
    [
      .option(
        "into", .file("PATH"),
        help: "keep received data in this store, if its name ends in .sqlite, in this database "
          + "of a fleet, if it begins with postgres://, or else in this folder", sets: \.into),
      .option(
        "listen", .listenAddress, default: standardAddress,
        help: "listen at this address; port 0 takes a free one", sets: \.address),
      .option(
        "definitions", .file("PATH"),
        help: "give gateways the definitions in this file, or in this folder of files",
        sets: \.definitions),
      .option(
        "token-file", .file("FILE"), help: "accept only gateways that send the token in this file",
        sets: \.tokenFile),
      .option(
        "certificate", .file("FILE"), help: "serve HTTPS with this certificate and its chain (PEM)",
        sets: \.certificateFile),
      .option(
        "certificate-key", .file("FILE"), help: "the certificate's key (PEM)", sets: \.keyFile),
      .option(
        "objects", .filledText("URL"),
        help: "seal the sessions of a fleet into this S3 bucket, as in https://HOST/BUCKET",
        sets: \.objects),
      .option(
        "objects-region", .filledText("REGION"),
        help: "the bucket's region (default: $AWS_REGION, else us-east-1)", sets: \.region),
      .option(
        "objects-key-file", .file("FILE"),
        help: "the bucket's key is in this file, as in ~/.aws/credentials (default: "
          + "$AWS_ACCESS_KEY_ID and $AWS_SECRET_ACCESS_KEY)", sets: \.objectsKeyFile),
      .option(
        "seal-after", .number("MINUTES", above: 0, upTo: 1e6), default: 10,
        help: "seal a session when nothing has come of it for so long", sets: \.sealAfter),
    ]
    + BrokerChoice.options(
      "live", areSeveral: true,
      help: "follow the gateways of a fleet at this MQTT broker, keep their last state in the "
        + "database, and give it to readers"
    ).map { $0.lifted(into: \.broker) } + [
      .option(
        "page", .listenAddress,
        help: "serve a page for phones at this address: the walks of the store or the fleet, and "
          + "where the gateways of a fleet are", sets: \.page),
      .option(
        "tiles", .file("FILE"), help: "the map of the page, an MBTiles file", sets: \.tiles),
      .flag(
        "json", help: "print the address at the start, and the outcome, as JSON",
        sets: \.reportsJSON),
    ]

  static let definition = CommandDefinition<ReceiveCommand>(
    name: "receive", summary: "receive uploads of gateways until interrupted",
    discussion: """
      An endpoint for 'footbridge upload', for a laboratory and for tests. It checks what it \
      receives, and confirms it when it is safely on the disk. What is sent twice is kept \
      once. Its store is like any other: 'footbridge sessions' and 'footbridge export' read \
      it at any time.

      With postgres://USER@HOST/DATABASE, or several hosts separated by commas, many upload servers \
      share one database, and each gateway has a token of its own: see 'footbridge fleet'. \
      docs/fleet.md tells how. With --objects, sessions that are complete move from there \
      into a bucket of an S3 service, one object each. With --live, it also follows where the \
      gateways are.

      --definitions names a file with what gateways shall record, or a folder with a file for \
      each: GATEWAY.json, and default.json for the others. An edited file counts at once; \
      'footbridge definitions check' finds its faults. docs/definitions.md describes the form.

      Other computers reach it with --listen 0.0.0.0:8420 or an address of this one. That \
      needs --token-file, and should have --certificate or a TLS proxy in front. Token and \
      key are read only from files that nobody else may read. docs/upload-protocol.md \
      describes the protocol.

      Example: footbridge receive --into walks.sqlite
      """,
    initial: {
      ReceiveCommand(store: StoreLocation(environment: $0), environment: $0)
    }, options: options)

  /// How often is shown how much came, while something comes.
  private static let showInterval = Duration.milliseconds(250)

  func run(_ console: Console) async throws -> ExitStatus {
    let into = try checked()
    let broker = try broker.checked(asOption: "live", of: "\(Version.program) receive")
    let token = try token()
    let identity = try ServerIdentity.read(certificate: certificateFile, key: keyFile)
    ServerIdentity.warn(ofDatesIn: identity, file: certificateFile, console)
    let shelf = try shelf()
    let bucket = try bucket()
    let signals = Signals(console)
    ThisProcess.returnMemory()
    let isFleet = FleetDatabase.isAddress(into)
    let access: UploadAccess =
      isFleet ? .ownTokens : token.map { .token($0.revealed) } ?? .everybody
    let live = try broker.map { broker throws in
      try LiveFollowing(broker.settings, fleets: broker.fleets, into: into) { console.report($0) }
    }
    defer { live?.stop() }
    let reception = try await UploadHandler(access, definitions: shelf, live: live?.hub) {
      if isFleet { return try DatabaseIntake(into, objects: bucket?.open(forReaders: true)) }
      if into.hasSuffix(".sqlite") { return try StoreIntake(path: into) }
      return try FolderIntake(folder: into)
    }
    defer { reception.stop() }
    let server: HTTPServer
    do throws(SystemError) {
      server = try HTTPServer(at: address, identity: identity, handler: reception)
    } catch {
      throw complaint(error)
    }
    defer { server.stop() }
    let sealer = try bucket.map { bucket in
      try Sealer(into, bucket.open(), quietSeconds: sealAfter * 60) { console.report($0) }
    }
    defer { sealer?.stop() }
    let url = "\(identity == nil ? "http" : "https")://\(server.address)"
    if !address.isLoopback, identity == nil {
      console.warning("unencrypted", ["listen": "\(server.address)"])
    }
    let place = isFleet ? FleetDatabase.harmless(into) : into
    try console.print(
      reportsJSON
        ? JSONValue.object([.init("listening", .string(url)), .init("into", .string(place))]).text
        : "Receiving into \(TerminalText.harmless(place)) at \(url)")
    let page = try servedPage(into, live?.hub, bucket, console)
    defer { page?.stop() }
    let show = Task {
      var progress = ReceiveProgress(console)
      for await _ in reception.news {
        repeat {
          progress.show(reception.counts)
          try? await Task.sleep(for: Self.showInterval)
        } while progress.isBehind && !Task.isCancelled
      }
    }
    await signals.wait()
    show.cancel()
    await show.value
    page?.stop()
    sealer?.stop()
    server.stop()
    reception.stop()
    live?.stop()
    let counts = reception.counts
    try console.print(
      reportsJSON ? ReceiveText.json(counts).text : ReceiveText.line(counts))
    return signals.status
  }

  /// The path for what comes in, when everything that has to be said was said.
  private func checked() throws(Complaint) -> String {
    guard let into = self.into else {
      throw Self.usage(
        "'--into' is missing",
        "name a store with '--into FILE.sqlite', or a folder with '--into FOLDER'")
    }
    guard broker.address == nil || FleetDatabase.isAddress(into) else {
      throw Self.usage(
        "'--live' needs the database of a fleet",
        "name one with '--into postgres://…': it says which gateways there are")
    }
    guard page == nil || into.hasSuffix(".sqlite") || FleetDatabase.isAddress(into) else {
      throw Self.usage(
        "a folder has no page", "receive into a store, as in '--into walks.sqlite'")
    }
    guard (certificateFile == nil) == (keyFile == nil) else {
      throw Self.usage(
        "'--certificate' and '--certificate-key' must be used together",
        "give both '--certificate FILE' and '--certificate-key FILE'")
    }
    if FleetDatabase.isAddress(into) {
      guard tokenFile == nil else {
        throw Self.usage(
          "'--token-file' does not go with a fleet's database",
          "leave it out: each gateway has a token of its own, from 'footbridge fleet add'")
      }
      return into
    }
    guard objects == nil else {
      throw Self.usage(
        "'--objects' goes with a fleet's database only", "leave it out: the data stays in \(into)")
    }
    guard address.isLoopback || tokenFile != nil else {
      throw Self.usage(
        "without a token, everyone who reaches \(address) could fill this disk",
        "put a token into a file, as in: (umask 077; openssl rand -hex 32 > token)\n"
          + "and name it with '--token-file token'")
    }
    return into
  }

  /// The page, with a PIN on standard output.
  private func servedPage(
    _ into: String, _ hub: LiveHub?, _ bucket: Bucket?, _ console: Console
  ) throws -> ServedPage? {
    guard let page else { return nil }
    var settings = PageSettings()
    settings.address = page
    settings.origin = "'--page ADDRESS:PORT'"
    settings.certificate = certificateFile
    settings.key = keyFile
    settings.tiles = tiles
    // The phones of a fleet are known to this computer, and not to the database.
    var place = store
    if !FleetDatabase.isAddress(into) { place.given = into }
    let path = try place.path()
    // Nothing else makes it here: one with an upload server may never have had a store.
    try Folder.make(forFile: path, isPrivate: true)
    let doctor = Doctor(
      store: path, source: nil, isOffline: true,
      configuration: ConfigurationLocation(environment: environment).path)
    let answers = StoreAnswers(store: place)
    PageLook.check(map: tiles, console)
    let look = PageLook(answers, tiles: tiles, doctor: doctor)
    func served(_ content: any PageContent) throws -> ServedPage {
      try ServedPage(
        content, settings, store: path, command: "footbridge receive", .operate, reportsJSON,
        console)
    }
    guard FleetDatabase.isAddress(into) else {
      let content = StorePage(gateway: ThisComputer.name, look: look)
      return try served(content)
    }
    let objects = try bucket?.open(forReaders: true)
    let walks = try FleetWalks {
      try DatabaseIntake(into, objects: objects)
    } look: {
      PageLook($0, tiles: nil, doctor: doctor)
    }
    let content = FleetPage(ThisComputer.name, hub, walks, look: look)
    return try served(content)
  }

  private static func usage(_ message: String, _ remedy: String) -> Complaint {
    .usage(message, remedy: remedy, command: "\(Version.program) receive")
  }

  /// Where sealed sessions go, with its key.
  private func bucket() throws(Complaint) -> Bucket? {
    guard let objects else {
      guard region == nil, objectsKeyFile == nil else {
        throw Self.usage(
          "'--objects-region' and '--objects-key-file' need '--objects'",
          "name the bucket with '--objects https://HOST/BUCKET'")
      }
      return nil
    }
    return try Bucket(
      objects, region: region, keyFile: objectsKeyFile, environment: environment,
      command: "\(Version.program) receive")
  }

  /// The definitions for gateways, which have no fault now.
  private func shelf() throws(Complaint) -> DefinitionsShelf? {
    guard let definitions else { return nil }
    let shelf = DefinitionsShelf(path: definitions) { bytes in
      do throws(Definitions.Fault) {
        _ = try Definitions(parsing: bytes)
        return nil
      } catch {
        return error.reason
      }
    }
    do throws(DefinitionsShelf.Fault) {
      guard try shelf.check() > 0 else {
        throw DefinitionsShelf.Fault(file: definitions, reason: "the folder has no file of them")
      }
    } catch {
      throw Complaint(
        "cannot give the definitions \(error.file): \(error.reason)",
        remedy: "see docs/definitions.md for their form", status: .usage)
    }
    return shelf
  }

  /// What gateways have to know, if they have to.
  private func token() throws(Complaint) -> Secret? {
    guard let file = tokenFile else { return nil }
    return try ServerIdentity.secret { () throws(SecretFile.Failure) in
      try SecretFile(file).readLine()
    }
  }

  private func complaint(_ error: SystemError) -> Complaint {
    let remedy =
      switch error {
      case _ where error.isAddressTaken:
        "end the program that listens there, or name another port with '--listen ADDRESS:PORT'"
      case _ where error.isAddressForeign:
        "name an address of this computer; 'ip address' shows them"
      case _ where certificateFile != nil && !error.operation.hasPrefix("listen"):
        "see that the files have a certificate and its key, in PEM"
      default: "name another address with '--listen ADDRESS:PORT'"
      }
    return Complaint("\(error)", remedy: remedy)
  }
}
