internal import CommandLineTool
internal import Fleet
internal import Terminal
internal import UploadServer
internal import Values

/// `footbridge-fleet receive`: an upload server with the database of a fleet.
struct ReceiveCommand: Verb {
  /// The database that gets what comes in.
  var into: String?
  /// The upload server.
  var service: UploadService
  /// The bucket that gets sealed sessions.
  var objects: String?
  /// The region of the bucket.
  var region: String?
  /// The file with the key of the bucket.
  var objectsKeyFile: String?
  /// Minutes in which nothing comes of a session before it is sealed.
  var sealAfter = 10.0
  /// The environment, which may have the key of the bucket.
  var environment: [String: String] = [:]
  /// The broker with what gateways tell of themselves.
  var broker = BrokerChoice()

  private static let command = "\(FleetProgram.name) receive"

  private static let own: [Option<ReceiveCommand>] =
    [
      .option(
        "into", .filledText("ADDRESS"),
        help: "keep received data in this database, as in postgres://user@host/walks (default: "
          + "$\(DatabaseChoice.variable))", sets: \.into),
      .option(
        "objects", .filledText("URL"),
        help: "seal sessions into this S3 bucket, as in https://HOST/BUCKET", sets: \.objects),
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

  /// Its options, in the order of the help.
  static var options: [Option<ReceiveCommand>] {
    let broker = BrokerChoice.options(
      "live", areSeveral: true,
      help: "follow the gateways at this MQTT broker, keep their last state in the database, and "
        + "give it to readers")
    let service = UploadService.options(page: "the walks of the fleet, and where its gateways are")
    return own + broker.map { $0.lifted(into: \.broker) }
      + service.map { $0.lifted(into: \.service) }
  }

  static let definition = CommandDefinition<ReceiveCommand>(
    name: "receive",
    summary: "receive uploads of gateways until interrupted",
    discussion: """
      An endpoint for 'footbridge upload' on any number of gateways. With postgres://USER@HOST/\
      DATABASE, or several hosts separated by commas, many upload servers share one database, and \
      each gateway has a token of its own: 'footbridge-fleet add' makes it. docs/fleet.md tells how.

      It checks what it receives, and confirms it when the database has it safely. What is sent \
      twice is kept once. With --objects, sessions that are complete move from there into a bucket \
      of an S3 service, one object each. With --live, it also follows where the gateways are.

      --definitions names a file with what gateways shall record, or a folder with a file for \
      each: GATEWAY.json, and default.json for the others. An edited file counts at once.

      Other computers reach it with --listen 0.0.0.0:8420 or an address of this one. That should \
      have --certificate or a TLS proxy in front. The key is read only from a file that nobody \
      else may read. docs/upload-protocol.md describes the protocol.

      A password belongs into ~/.pgpass or $PGPASSWORD and not into the address: other users \
      of the computer see the arguments of a program.

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
    // The phones of a fleet are known to this computer, and not to the database.
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

  /// The database, when everything that has to be said was said.
  private func checked() throws(Complaint) -> String {
    guard let into, !into.isEmpty else {
      throw FleetProgram.usage(
        "receive", "'--into' is missing",
        "name the database, as in '--into postgres://footbridge@db1/walks'")
    }
    guard FleetDatabase.isAddress(into) else {
      throw FleetProgram.usage(
        "receive", "'\(TerminalText.harmless(into))' is no address of a database",
        "write it as in 'postgres://footbridge@db1,db2,db3/walks'; 'footbridge receive' keeps data "
          + "in a store or a folder")
    }
    try service.check(command: Self.command)
    return into
  }

  /// Where sealed sessions go, with its key.
  private func bucket() throws(Complaint) -> Bucket? {
    guard let objects else {
      guard region == nil, objectsKeyFile == nil else {
        throw FleetProgram.usage(
          "receive", "'--objects-region' and '--objects-key-file' need '--objects'",
          "name the bucket with '--objects https://HOST/BUCKET'")
      }
      return nil
    }
    return try Bucket(
      objects, region: region, keyFile: objectsKeyFile, environment: environment,
      command: Self.command)
  }
}
