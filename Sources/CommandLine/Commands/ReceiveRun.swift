internal import SessionFolder
internal import HTTPServer
internal import LinuxSystem
internal import UploadServer
internal import Storage
internal import Upload
internal import Values

/// Body of `footbridge receive`.
enum ReceiveRun {
  /// How often is shown how much came, while something comes.
  private static let showInterval = Duration.milliseconds(250)

  static let body: Commands.Body<ReceiveConfiguration> = { configuration, console in
    let into = try checked(configuration)
    let token = try token(configuration)
    let identity = try identity(configuration)
    let signals = Signals(console)
    ThisProcess.returnMemory()
    let reception = try await UploadHandler(token: token?.revealed) {
      if into.hasSuffix(".sqlite") { return try StoreIntake(path: into) }
      return try FolderIntake(folder: into)
    }
    defer { reception.stop() }
    let server: HTTPServer
    do throws(SystemError) {
      server = try HTTPServer(at: configuration.address, identity: identity, handler: reception)
    } catch {
      throw complaint(error, configuration)
    }
    defer { server.stop() }
    let url = "\(identity == nil ? "http" : "https")://\(server.address)"
    if !configuration.address.isLoopback, identity == nil {
      console.warning("unencrypted", ["listen": "\(server.address)"])
    }
    try console.print(
      configuration.reportsJSON
        ? JSONValue.object([.init("listening", .string(url)), .init("into", .string(into))]).text
        : "Receiving into \(TerminalText.harmless(into)) at \(url)")
    let show = Task {
      var progress = ReceiveProgress(console)
      for await _ in reception.news {
        repeat {
          progress.show(reception.counts)
          try? await Task.sleep(for: showInterval)
        } while progress.isBehind && !Task.isCancelled
      }
    }
    await signals.wait()
    show.cancel()
    await show.value
    server.stop()
    reception.stop()
    let counts = reception.counts
    try console.print(
      configuration.reportsJSON ? ReceiveText.json(counts).text : ReceiveText.line(counts))
    return signals.status
  }

  /// The path for what comes in, when everything that has to be said was said.
  private static func checked(
    _ configuration: ReceiveConfiguration
  ) throws(Complaint) -> String {
    guard let into = configuration.into else {
      throw usage(
        "'--into' is missing",
        "name a store with '--into FILE.sqlite', or a folder with '--into FOLDER'")
    }
    guard (configuration.certificateFile == nil) == (configuration.keyFile == nil) else {
      throw usage(
        "'--certificate' and '--certificate-key' need each other",
        "give both '--certificate FILE' and '--certificate-key FILE'")
    }
    guard configuration.address.isLoopback || configuration.tokenFile != nil else {
      throw usage(
        "without a token, everybody who reaches \(configuration.address) could fill this disk",
        "put a token into a file, as in: (umask 077; openssl rand -hex 32 > token)\n"
          + "and name it with '--token-file token'")
    }
    return into
  }

  private static func usage(_ message: String, _ remedy: String) -> Complaint {
    .usage(message, remedy: remedy, command: "\(Version.program) receive")
  }

  private static func identity(
    _ configuration: ReceiveConfiguration
  ) throws(Complaint) -> HTTPServer.Identity? {
    guard let certificate = configuration.certificateFile, let key = configuration.keyFile else {
      return nil
    }
    let text = try text(of: certificate)
    if text.contains("PRIVATE KEY-----") {
      // Both may be in one file, which is then as secret as the key.
      _ = try secret { () throws(SecretFile.Failure) in try SecretFile(certificate).read() }
    }
    return HTTPServer.Identity(
      certificate: text,
      key: try secret { () throws(SecretFile.Failure) in try SecretFile(key).read() }.revealed)
  }

  /// What gateways have to know, if they have to.
  private static func token(
    _ configuration: ReceiveConfiguration
  ) throws(Complaint) -> Secret? {
    guard let file = configuration.tokenFile else { return nil }
    return try secret { () throws(SecretFile.Failure) in try SecretFile(file).readLine() }
  }

  private static func secret(
    _ read: () throws(SecretFile.Failure) -> Secret
  ) throws(Complaint) -> Secret {
    do {
      return try read()
    } catch {
      throw Complaint(error.reason, remedy: error.remedy)
    }
  }

  /// A small file that is no secret.
  private static func text(of path: String) throws(Complaint) -> String {
    do throws(SystemError) {
      let file = try OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnlyWithoutWaiting)
      return String(decoding: try file.readAll(of: path, upTo: 1 << 20), as: UTF8.self)
    } catch {
      throw Complaint(explaining: error)
    }
  }

  private static func complaint(
    _ error: SystemError, _ configuration: ReceiveConfiguration
  ) -> Complaint {
    let remedy =
      switch error {
      case _ where error.isAddressTaken:
        "end the program that listens there, or name another port with '--listen ADDRESS:PORT'"
      case _ where error.isAddressForeign:
        "name an address of this computer; 'ip address' shows them"
      case _ where configuration.certificateFile != nil && !error.operation.hasPrefix("listen"):
        "see that the files have a certificate and its key, in PEM"
      default: "name another address with '--listen ADDRESS:PORT'"
      }
    return Complaint("\(error)", remedy: remedy)
  }
}
