public import Upload
internal import Values

/// What `footbridge destination` was asked to do.
public struct DestinationConfiguration: Hashable, Sendable {
  /// What can be done with destinations.
  public enum Action: String, CaseIterable, Hashable, Sendable {
    /// Make one known, or change how it is sent to.
    case add
    /// Show them.
    case list
    /// Forget one.
    case remove
    /// See whether one could be sent to now.
    case test
  }

  /// What to do.
  public var action = Action.list
  /// The destination's name.
  public var name: String?
  /// The address of an endpoint.
  public var url: String?
  /// The name of a Firestore project.
  public var project: String?
  /// The path of a folder.
  public var folder: String?
  /// The database of the project.
  public var database: String?
  /// How sessions look in Firestore.
  public var layout: DestinationSettings.FirestoreLayout?
  /// A file with a bearer token.
  public var tokenFile: String?
  /// A file with a service account's key.
  public var keyFile: String?
  /// A file with e-mail and password.
  public var loginFile: String?
  /// A file with certificates to trust.
  public var authorityFile: String?
  /// A file with our certificate.
  public var certificateFile: String?
  /// A file with its key.
  public var certificateKeyFile: String?
  /// The proxy to go through.
  public var proxy: String?
  /// Whether bodies are sent gzipped.
  public var compresses = false
  /// Kilobytes a second at most.
  public var limit: Double?
  /// Calls under way at a time.
  public var parallel: UInt8?
  /// Whether what was recorded last goes first.
  public var newestFirst = false
  /// When it is sent to.
  public var hours: UploadHours?
  /// Whether the outcome is JSON instead of text.
  public var reportsJSON = false
  /// Where destinations are kept.
  public var store: StoreLocation

  /// The defaults, for a store named by the environment or in its usual place.
  public init(store: StoreLocation) {
    self.store = store
  }

  /// Its options, in the order of the help.
  public static let options: [Option<DestinationConfiguration>] = [
    .endpoint(
      "http", excludes: ["firestore", "folder"], help: "an endpoint of the upload protocol",
      sets: \.url),
    .plainText(
      "firestore", "PROJECT", excludes: ["folder"], help: "a Firestore database of this project",
      sets: \.project),
    .path("folder", Argument("PATH", .folder), help: "a folder, as on a stick", sets: \.folder),
    .word(
      "layout", "LAYOUT",
      help: "how sessions look in Firestore: researchers, researchers-per-user or compact "
        + "(default: compact)", sets: \.layout),
    .plainText(
      "database", "NAME", help: "the database of the project (default: '(default)')",
      sets: \.database),
    .path(
      "token-file", Argument("FILE", .file), help: "a bearer token is in this file",
      sets: \.tokenFile),
    .path(
      "key-file", Argument("FILE", .file), help: "a service account's key is in this file",
      sets: \.keyFile),
    .path(
      "login-file", Argument("FILE", .file), help: "e-mail and password are in this file",
      sets: \.loginFile),
    .path(
      "ca-file", Argument("FILE", .file),
      help: "trust the certificates in this file instead of the system's", sets: \.authorityFile),
    .path(
      "certificate", Argument("FILE", .file), help: "the client certificate is in this file",
      sets: \.certificateFile),
    .path(
      "certificate-key", Argument("FILE", .file), help: "its key is in this file",
      sets: \.certificateKeyFile),
    .plainText(
      "proxy", "URL", help: "go through this proxy (default: the one the environment names)",
      sets: \.proxy),
    .flag("compress", help: "send gzipped where that saves something", sets: \.compresses),
    .number(
      "limit", "KB/S", above: 0, upTo: 1e6, help: "send at most so many kilobytes a second",
      sets: \.limit),
    .wholeNumber(
      "parallel", "N", in: 1...16,
      help: "send at most so many requests at a time (default: depends on the destination)",
      sets: \.parallel),
    .flag("newest-first", help: "send the newest recordings first", sets: \.newestFirst),
    .hours(
      "hours", help: "send only at these hours of the local day, as in 20:00-06:00",
      sets: \.hours),
    .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static func command(body: @escaping Commands.Body<DestinationConfiguration>) -> Command {
    Command(
      CommandDefinition(
        name: "destination", summary: "say where recordings are sent",
        discussion: """
          ACTION is add, list, remove or test.

          add NAME makes a destination known, with one of --http, --firestore and --folder; \
          'footbridge upload' sends to it. Secrets are never typed here: their files are named, \
          which nobody else may read. Adding NAME again with the same place replaces its settings. \
          Another place is another destination, which is sent everything.

          list shows the destinations. test NAME sees whether one could be sent to now, and \
          stores nothing there. remove NAME forgets one: what is recorded stays, and what was sent \
          is known when the same place is added again.

          Example: footbridge destination add home --http https://walks.example.org \
          --token-file /etc/footbridge/token
          """,
        initial: { DestinationConfiguration(store: StoreLocation(environment: $0)) },
        options: options,
        operands: [
          .word("ACTION", sets: \.action),
          .optional(Argument("NAME", .destination), sets: \.name),
        ], body: body))
  }
}
