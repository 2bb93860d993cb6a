internal import CommandLineTool
internal import Fleet
internal import Terminal
internal import UploadServer
internal import Values

/// `footbridge-fleet receive`: runs an upload server that stores data in a fleet's database.
struct ReceiveCommand: Verb {
  /// The address of the database that stores the received data.
  var into: String?
  var service: UploadService
  /// The address of the bucket for sealed sessions.
  var objects: String?
  var region: String?
  var objectsKeyFile: String?
  /// Minutes without new data after which a session is sealed.
  var sealAfter = 10.0
  /// The environment variables, which may include the bucket's key.
  var environment: [String: String] = [:]
  /// The broker that delivers the gateways' live messages.
  var broker = BrokerChoice()

  private static let command = "\(FleetProgram.name) receive"

  private static let own: [Option<ReceiveCommand>] =
    [
      .option(
        "into", .filledText("ADDRESS"),
        help: "store received data in this database, as in postgres://user@host/walks (default: "
          + "$\(DatabaseChoice.variable))", sets: \.into),
      .option(
        "objects", .filledText("URL"),
        help: "seal sessions into this S3 bucket, as in https://HOST/BUCKET", sets: \.objects),
      .option(
        "objects-region", .filledText("REGION"),
        help: "the bucket's region (default: $AWS_REGION, else us-east-1)", sets: \.region),
      .option(
        "objects-key-file", .file("FILE"),
        help: "read the bucket's key from this file, as in ~/.aws/credentials (default: "
          + "$AWS_ACCESS_KEY_ID and $AWS_SECRET_ACCESS_KEY)", sets: \.objectsKeyFile),
      .option(
        "seal-after", .number("MINUTES", above: 0, upTo: 1e6), default: 10,
        help: "seal a session after this time without new data", sets: \.sealAfter),
    ]

  /// The command's options, in the order in which the help lists them.
  static var options: [Option<ReceiveCommand>] {
    let broker = BrokerChoice.options(
      "live", areSeveral: true,
      help: "follow the gateways through this MQTT broker, keep their last state in the database, "
        + "and send it to readers")
    let service = UploadService.options(page: "the fleet's walks and gateways")
    return own + broker.map { $0.lifted(into: \.broker) }
      + service.map { $0.lifted(into: \.service) }
  }

  static let definition = CommandDefinition<ReceiveCommand>(
    name: "receive",
    summary: "receive uploads from gateways until interrupted",
    discussion: """
      Runs the upload server for 'footbridge upload' on any number of gateways. With \
      postgres://USER@HOST/DATABASE, or several hosts separated by commas, many upload servers \
      can share one database. Each gateway has its own token, which 'footbridge-fleet add' creates. \
      See docs/fleet.md.

      The server checks the received data, and confirms it once the database has stored it \
      safely. Duplicates are stored once. With --objects, complete sessions move from the \
      database into an S3 bucket, one object each. With --live, the server also follows the \
      positions of the gateways.

      --definitions names a file with the definitions for all gateways, or a folder with a file \
      for each: GATEWAY.json, and default.json for the others. An edited file takes effect \
      immediately.

      For connections from other computers, use --listen 0.0.0.0:8420 or an address of this \
      computer, with --certificate or behind a TLS proxy. The key's file must be readable only \
      by its owner. docs/upload-protocol.md describes the protocol.

      Put a password into ~/.pgpass or $PGPASSWORD, not into the address: other users of the \
      computer can see the arguments of a program.

      Example: footbridge-fleet receive --into postgres://footbridge@db1/walks
      """,
    initial: {
      ReceiveCommand(
        into: $0[DatabaseChoice.variable], service: UploadService(environment: $0), environment: $0)
    }, options: options)

  func run(_ console: Console) async throws -> ExitStatus {
    let into = try checked()
    let broker = try broker.checked(asOption: "live", of: Self.command)
    let bucket = try bucket()
    let live = try broker.map { broker throws in
      try LiveFollowing(broker.settings, fleets: broker.fleets, into: into) { console.report($0) }
    }
    defer { live?.stop() }
    let sealer = try bucket.map { bucket in
      try Sealer(into, bucket.open(), quietSeconds: sealAfter * 60) { console.report($0) }
    }
    defer { sealer?.stop() }
    let hub = live?.hub
    var streams: LiveStreams?
    if let hub { streams = { hub.stream(forToken: $0) } }
    let intake = UploadService.Intake(FleetDatabase.harmless(into), .ownTokens, live: streams) {
      try DatabaseIntake(into, objects: bucket?.open(forReaders: true))
    }
    // The list of phones paired with the fleet is stored on this computer, not in the database.
    return try await service.run(intake, command: Self.command, phonesOf: nil, console) { look in
      let objects = try bucket?.open(forReaders: true)
      let walks = try FleetWalks {
        try DatabaseIntake(into, objects: objects)
      } look: {
        look.look(at: $0)
      }
      return FleetPage(hub, walks, look: look)
    }
  }

  /// Validates the options and returns the database's address.
  private func checked() throws(Complaint) -> String {
    guard let into, !into.isEmpty else {
      throw FleetProgram.usage(
        "receive", "'--into' is missing",
        "specify the database, as in '--into postgres://footbridge@db1/walks'")
    }
    guard FleetDatabase.isAddress(into) else {
      throw FleetProgram.usage(
        "receive", "'\(TerminalText.harmless(into))' is not a database address",
        "use the form 'postgres://footbridge@db1,db2,db3/walks', or use 'footbridge receive' to "
          + "keep data in a store or a folder")
    }
    try service.check(command: Self.command)
    return into
  }

  /// Returns the bucket for sealed sessions, or `nil` if sessions are not to be sealed.
  private func bucket() throws(Complaint) -> Bucket? {
    guard let objects else {
      guard region == nil, objectsKeyFile == nil else {
        throw FleetProgram.usage(
          "receive", "'--objects-region' and '--objects-key-file' need '--objects'",
          "specify the bucket with '--objects https://HOST/BUCKET'")
      }
      return nil
    }
    return try Bucket(
      objects, region: region, keyFile: objectsKeyFile, environment: environment,
      command: Self.command)
  }
}
