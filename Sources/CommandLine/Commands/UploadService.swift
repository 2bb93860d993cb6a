internal import Gateway
internal import HTTPServer
public import LinuxSystem
public import Recording
public import Terminal
public import UploadServer
internal import Values
public import Web

/// An upload server with an optional page. Contains the options and the main loop shared by
/// `footbridge receive` and `footbridge-fleet receive`.
public struct UploadService: Hashable, Sendable {
  public var address = standardAddress
  /// The file or folder with definitions for gateways.
  public var definitions: String?
  /// The path of the certificate file, for TLS.
  public var certificateFile: String?
  /// The path of the file with the certificate's private key.
  public var keyFile: String?
  /// The address on which the page is served; `nil` for no page.
  public var page: ListenAddress?
  /// The path of the MBTiles file with the map that the page shows.
  public var tiles: String?
  /// The path of the GeoJSON file with the routes that maps show.
  public var routes: String?
  /// The default store, for commands that do not name one.
  public var store: StoreLocation
  public var reportsJSON = false

  /// An upload server's storage, and the rules for accessing it.
  public struct Intake: Sendable {
    /// The name of the store or folder for received data, as shown to the user.
    public var place: String
    /// Controls which clients may upload and read.
    public var access: UploadAccess
    /// The live message streams that readers may follow; `nil` if readers may not follow any.
    public var live: LiveStreams?
    /// Opens the intake. Must be called on the thread that will use it.
    public var open: @Sendable () throws -> any SharedIntake

    public init(
      _ place: String, _ access: UploadAccess, live: LiveStreams? = nil,
      open: @escaping @Sendable () throws -> any SharedIntake
    ) {
      self.place = place
      self.access = access
      self.live = live
      self.open = open
    }
  }

  /// The default address, which only programs on this computer can reach.
  static let standardAddress = ListenAddress(host: "127.0.0.1", port: 8_420)

  /// Creates an upload server with this environment's defaults.
  public init(environment: [String: String]) {
    store = StoreLocation(environment: environment)
  }

  /// Returns the command-line options. `page` describes the page's content, for the help of
  /// '--page'.
  public static func options(page: String) -> [Option<UploadService>] {
    [
      .option(
        "listen", .listenAddress, default: standardAddress,
        help: "listen on this address; port 0 picks a free one", sets: \.address),
      .option(
        "definitions", .file("PATH"),
        help: "provide gateways with the definitions in this file or folder",
        sets: \.definitions),
      .option(
        "certificate", .file("FILE"), help: "serve HTTPS with this certificate and its chain (PEM)",
        sets: \.certificateFile),
      .option(
        "certificate-key", .file("FILE"), help: "the certificate's key (PEM)", sets: \.keyFile),
      .option(
        "page", .listenAddress, help: "serve a page for phones at this address: \(page)",
        sets: \.page),
      .option(
        "tiles", .file("FILE"), help: "the map for the page, as an MBTiles file", sets: \.tiles),
      .option(
        "routes", .file("FILE"), help: "routes to draw on maps, as a GeoJSON file", sets: \.routes),
      .flag(
        "json", help: "print the address at the start and the outcome at the end as JSON",
        sets: \.reportsJSON),
    ]
  }

  /// Throws if the options cannot be combined.
  public func check(command: String) throws(Complaint) {
    guard (certificateFile == nil) == (keyFile == nil) else {
      throw .usage(
        "'--certificate' and '--certificate-key' must be used together",
        remedy: "give both '--certificate FILE' and '--certificate-key FILE'", command: command)
    }
  }

  /// The interval between two updates of the counts on the terminal.
  private static let showInterval = Duration.milliseconds(250)

  /// Receives uploads until a signal arrives.
  ///
  /// - Parameter command: the command that serves the page, as typed by the user.
  /// - Parameter place: the store that the page shows and that lists the paired phones.
  /// - Parameter content: creates the page's content from the store.
  public func run(
    _ intake: Intake, command: String, phonesOf place: String?, _ console: Console,
    content: (PageLook) throws -> any PageContent
  ) async throws -> ExitStatus {
    let identity = try ServerIdentity.read(certificate: certificateFile, key: keyFile)
    ServerIdentity.warn(ofDatesIn: identity, file: certificateFile, console)
    let shelf = try shelf()
    let signals = Signals(console)
    ThisProcess.returnMemory()
    let reception = try await UploadHandler(
      intake.access, definitions: shelf, live: intake.live, open: intake.open)
    defer { reception.stop() }
    let server: HTTPServer
    do throws(SystemError) {
      server = try HTTPServer(at: address, identity: identity, handler: reception)
    } catch {
      throw complaint(error)
    }
    defer { server.stop() }
    let url = "\(identity == nil ? "http" : "https")://\(server.address)"
    if !address.isLoopback, identity == nil {
      console.warning("unencrypted", ["listen": "\(server.address)"])
    }
    try console.print(
      reportsJSON
        ? JSONValue.object([.init("listening", .string(url)), .init("into", .string(intake.place))])
          .text
        : "Receiving into \(TerminalText.harmless(intake.place)) at \(url)")
    let page = try servedPage(place, command, console, content)
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
    server.stop()
    reception.stop()
    let counts = reception.counts
    try console.print(
      reportsJSON ? ReceiveText.json(counts).text : ReceiveText.line(counts))
    return signals.status
  }

  /// Starts the page, and prints a PIN on standard output.
  private func servedPage(
    _ place: String?, _ command: String, _ console: Console,
    _ content: (PageLook) throws -> any PageContent
  ) throws -> ServedPage? {
    guard let page else { return nil }
    var settings = PageSettings()
    settings.address = page
    settings.origin = "'--page ADDRESS:PORT'"
    settings.certificate = certificateFile
    settings.key = keyFile
    settings.tiles = tiles
    settings.routes = routes
    var location = store
    if let place { location.given = place }
    let path = try location.path()
    // A computer that only receives uploads may never have had a store, so the store's folder might
    // not exist yet.
    try Folder.make(forFile: path, isPrivate: true)
    PageLook.check(map: tiles, routes: routes, console)
    let doctor = Doctor(
      store: path, source: nil, isOffline: true, configuration: store.configuration.path)
    let look = PageLook(
      StoreAnswers(store: location), tiles: tiles, routes: routes, doctor: doctor)
    return try ServedPage(
      try content(look), settings, store: path, command: command, .operate, reportsJSON, console)
  }

  /// Returns the definitions for gateways. Throws if they have faults.
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
        throw DefinitionsShelf.Fault(
          file: definitions, reason: "the folder contains no definitions")
      }
    } catch {
      throw Complaint(
        "cannot serve the definitions \(error.file): \(error.reason)",
        remedy: "see docs/definitions.md for the format", status: .usage)
    }
    return shelf
  }

  private func complaint(_ error: SystemError) -> Complaint {
    let remedy =
      switch error {
      case _ where error.isAddressTaken:
        "stop the program that listens there, or give another port with '--listen ADDRESS:PORT'"
      case _ where error.isAddressForeign:
        "use an address of this computer; 'ip address' lists its addresses"
      case _ where certificateFile != nil && !error.operation.hasPrefix("listen"):
        "check that the files contain a certificate and its key in PEM format"
      default: "give another address with '--listen ADDRESS:PORT'"
      }
    return Complaint("\(error)", remedy: remedy)
  }
}
