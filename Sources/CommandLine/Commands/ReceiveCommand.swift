internal import Gateway
internal import LinuxSystem
internal import SessionFolder
internal import Storage
internal import Terminal
internal import Upload
internal import UploadServer
internal import Values

/// `footbridge receive`: an upload server with a store or a folder.
struct ReceiveCommand: Verb {
  /// The store or folder that gets what comes in.
  var into: String?
  /// The file with what gateways have to know; everybody may send if there is none.
  var tokenFile: String?
  /// The upload server.
  var service: UploadService

  private static let command = "\(Version.program) receive"

  /// Its options, in the order of the help.
  static let options: [Option<ReceiveCommand>] =
    [
      .option(
        "into", .file("PATH"),
        help: "keep received data in this store, if its name ends in .sqlite, or else in this "
          + "folder", sets: \.into),
      .option(
        "token-file", .file("FILE"), help: "accept only gateways that send the token in this file",
        sets: \.tokenFile),
    ] + UploadService.options(page: "the walks of the store").map { $0.lifted(into: \.service) }

  static let definition = CommandDefinition<ReceiveCommand>(
    name: "receive", summary: "receive uploads of gateways until interrupted",
    discussion: """
      An endpoint for 'footbridge upload', for a laboratory and for tests. It checks what it \
      receives, and confirms it when it is safely on the disk. What is sent twice is kept \
      once. Its store is like any other: 'footbridge sessions' and 'footbridge export' read \
      it at any time.

      Many gateways with a token each, in a PostgreSQL database that several upload servers share, \
      are a fleet: docs/fleet.md tells of footbridge-fleet, a program of its own.

      --definitions names a file with what gateways shall record, or a folder with a file for \
      each: GATEWAY.json, and default.json for the others. An edited file counts at once; \
      'footbridge definitions check' finds its faults. docs/definitions.md describes the form.

      Other computers reach it with --listen 0.0.0.0:8420 or an address of this one. That \
      needs --token-file, and should have --certificate or a TLS proxy in front. Token and \
      key are read only from files that nobody else may read. docs/upload-protocol.md \
      describes the protocol.

      Example: footbridge receive --into walks.sqlite
      """,
    initial: { ReceiveCommand(service: UploadService(environment: $0)) }, options: options)

  func run(_ console: Console) async throws -> ExitStatus {
    let into = try checked()
    let access = try token().map { UploadAccess.token($0.revealed) } ?? .everybody
    let intake = UploadService.Intake(into, access) {
      if into.hasSuffix(".sqlite") { return try StoreIntake(path: into) }
      return try FolderIntake(folder: into)
    }
    return try await service.run(intake, command: Self.command, phonesOf: into, console) { look in
      StorePage(gateway: ThisComputer.name, look: look)
    }
  }

  /// The path for what comes in, when everything that has to be said was said.
  private func checked() throws(Complaint) -> String {
    guard let into else {
      throw Self.usage(
        "'--into' is missing",
        "name a store with '--into FILE.sqlite', or a folder with '--into FOLDER'")
    }
    guard !FleetPlace.isDatabase(into) else {
      throw Self.usage(
        "that is the address of a database, and not of a store or a folder",
        "receive with 'footbridge-fleet receive --into ADDRESS', a program of its own")
    }
    guard service.page == nil || into.hasSuffix(".sqlite") else {
      throw Self.usage(
        "a folder has no page", "receive into a store, as in '--into walks.sqlite'")
    }
    try service.check(command: Self.command)
    guard service.address.isLoopback || tokenFile != nil else {
      throw Self.usage(
        "without a token, everyone who reaches \(service.address) could fill this disk",
        "put a token into a file, as in: (umask 077; openssl rand -hex 32 > token)\n"
          + "and name it with '--token-file token'")
    }
    return into
  }

  private static func usage(_ message: String, _ remedy: String) -> Complaint {
    .usage(message, remedy: remedy, command: command)
  }

  /// What gateways have to know, if they have to.
  private func token() throws(Complaint) -> Secret? {
    guard let file = tokenFile else { return nil }
    return try ServerIdentity.secret { () throws(SecretFile.Failure) in
      try SecretFile(file).readLine()
    }
  }
}
