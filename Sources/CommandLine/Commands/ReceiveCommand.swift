internal import Gateway
internal import LinuxSystem
internal import SessionFolder
internal import Storage
internal import Terminal
internal import Upload
internal import UploadServer
internal import Values

/// `footbridge receive`: runs an upload server that writes to a store or a folder.
struct ReceiveCommand: Verb {
  /// The path of the store or folder for received data.
  var into: String?
  /// The file with the token that gateways must send; `nil` to accept uploads from anyone.
  var tokenFile: String?
  var service: UploadService

  private static let command = "\(Version.program) receive"

  static let options: [Option<ReceiveCommand>] =
    [
      .option(
        "into", .file("PATH"),
        help: "store received data in this file, if its name ends in .sqlite, or else in this "
          + "folder", sets: \.into),
      .option(
        "token-file", .file("FILE"), help: "accept only gateways that send the token in this file",
        sets: \.tokenFile),
    ] + UploadService.options(page: "the walks in the store").map { $0.lifted(into: \.service) }

  static let definition = CommandDefinition<ReceiveCommand>(
    name: "receive", summary: "receive uploads from gateways until interrupted",
    discussion: """
      Serves as an endpoint for 'footbridge upload', in a laboratory or for tests. The server \
      checks all data that it receives, and confirms data that is safely on the disk. Data that is \
      sent twice is stored once. The store is like any other: 'footbridge sessions' and \
      'footbridge export' can read it at any time.

      A fleet is many gateways, each with its own token. Several upload servers store their data \
      in one PostgreSQL database: see docs/fleet.md and the separate program footbridge-fleet.

      --definitions names a file with settings for gateways, or a folder with a file for each: \
      GATEWAY.json, and default.json for the others. An edited file takes effect at once; \
      'footbridge definitions check' finds its faults. docs/definitions.md describes the format.

      By default, only this computer can reach the server; --listen 0.0.0.0:8420 or another \
      address admits other computers. This requires --token-file, and should be combined with \
      --certificate or a TLS proxy. The files with the token and the key must not be readable by \
      other users. docs/upload-protocol.md describes the protocol.

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

  /// Throws if the options are invalid. Returns the path for received data.
  private func checked() throws(Complaint) -> String {
    guard let into else {
      throw Self.usage(
        "'--into' is missing",
        "give a store with '--into FILE.sqlite', or a folder with '--into FOLDER'")
    }
    guard !FleetPlace.isDatabase(into) else {
      throw Self.usage(
        "'--into' is the address of a database, not a store or a folder",
        "use the separate program: 'footbridge-fleet receive --into ADDRESS'")
    }
    guard service.page == nil || into.hasSuffix(".sqlite") else {
      throw Self.usage(
        "'--page' needs a store, not a folder", "receive into a store, as in '--into walks.sqlite'")
    }
    try service.check(command: Self.command)
    guard service.address.isLoopback || tokenFile != nil else {
      throw Self.usage(
        "without a token, anyone who can reach \(service.address) could fill this disk",
        "put a token into a file, as in: (umask 077; openssl rand -hex 32 > token)\n"
          + "and give its path with '--token-file token'")
    }
    return into
  }

  private static func usage(_ message: String, _ remedy: String) -> Complaint {
    .usage(message, remedy: remedy, command: command)
  }

  /// Reads the token that gateways must send. Returns `nil` if the server accepts uploads without
  /// one.
  private func token() throws(Complaint) -> Secret? {
    guard let file = tokenFile else { return nil }
    return try ServerIdentity.secret { () throws(SecretFile.Failure) in
      try SecretFile(file).readLine()
    }
  }
}
