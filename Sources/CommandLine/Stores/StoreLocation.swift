internal import LinuxSystem
internal import Storage
public import Terminal
internal import Values

/// The store that a command works on. The first of these that exists: the one named by `--store`,
/// the one named in the environment, the one in the configuration in force, and the user's own. In
/// a simulation, one of its own takes the place of the last, and of the store of a configuration
/// that nobody named.
public struct StoreLocation: Hashable, Sendable {
  /// The path on the command line.
  public var given: String?
  /// The configuration whose store counts where none is named: that of the running gateway.
  var configuration: ConfigurationLocation
  /// The time at which a person asked for the present task; `nil` for now.
  var asked: BootTime?
  /// The path in the environment.
  private let named: String?
  /// The store of the simulation in which the command runs.
  private let simulated: String?
  /// The user's own store; `nil` if the environment does not say where users keep data.
  private let own: String?

  /// The variable that replaces `--store`.
  public static let variable = "FOOTBRIDGE_STORE"
  /// The variable that names the store of a simulation.
  static let simulationVariable = "FOOTBRIDGE_SIMULATION_STORE"

  /// The location by the environment alone.
  public init(environment: [String: String]) {
    // An empty variable counts as not set.
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    configuration = ConfigurationLocation(environment: environment)
    named = value(Self.variable)
    simulated = value(Self.simulationVariable)
    // The XDG base directory specification has relative paths ignored.
    let data =
      value("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? value("HOME").map { $0 + "/.local/share" }
    own = data.map { $0 + "/footbridge/footbridge.sqlite" }
  }

  /// The store for commands in a simulation: the one that was named, or one beside the user's own.
  static func simulation(_ environment: [String: String]) -> String {
    let location = StoreLocation(environment: environment)
    return Folder.absolute(
      location.named ?? location.simulated
        ?? (location.own.map(Folder.containing) ?? "") + "simulation.sqlite")
  }

  /// The same for a command that names the configuration by itself.
  func following(_ configuration: ConfigurationLocation) -> StoreLocation {
    var location = self
    location.configuration = configuration
    return location
  }

  /// Path of the store's file, which need not exist.
  public func path() throws(Complaint) -> String {
    guard let path = try chosen() else {
      throw Complaint(
        "cannot tell where the store is: HOME is not set",
        remedy: "name it with --store FILE or in the variable \(Self.variable)", status: .usage)
    }
    // Lock and tail are beside the file itself, for whichever link to it is named.
    return Folder.isLink(path) ? PathPattern.target(of: path) : path
  }

  private func chosen() throws(Complaint) -> String? {
    if let path = given ?? named { return path }
    return try configured() ?? simulated ?? own
  }

  /// Whether the command runs in a simulation, so that the gateway of this computer is not meant
  /// where nobody names its configuration.
  var isSimulated: Bool { simulated != nil && !configuration.isNamed }

  /// Whether the configuration chose it.
  func isConfigured() throws(Complaint) -> Bool {
    guard given == nil, named == nil else { return false }
    return try configured() != nil
  }

  /// Reports which store it is, if the configuration or the simulation chose it.
  func announce(on console: Console) throws(Complaint) {
    guard given == nil, named == nil else { return }
    if try configured() != nil {
      console.notice(
        "store of the configuration",
        ["path": try path(), "configuration": configuration.path])
    } else if simulated != nil {
      console.notice("store of the simulation", ["path": try path()])
    }
  }

  /// Path of the store's file, for commands that create none: a mistyped path must not pass for a
  /// store without recordings.
  func existingPath() throws(Complaint) -> String {
    let path = try readablePath()
    guard StoreReader.exists(at: path) else {
      throw Complaint(
        Folder.exists(path)
          ? "\(path) is empty: nothing was recorded into it" : "there is no store at \(path)",
        remedy: "name another store with --store FILE, or record into this one")
    }
    return path
  }

  /// The path, of a store that this user may read if there is one. To a user who may not look into
  /// its folder, a store looks missing.
  func readablePath() throws(Complaint) -> String {
    let path = try path()
    if let refusal = FileFacts.refusal(path, writing: false), refusal.isForbidden {
      let owner = StoreOwner(of: path, SystemTree())
      throw Complaint(
        refusal.description,
        remedy: (owner.map { $0.remedy(for: path) + "\n" } ?? "")
          + "name another store with --store FILE")
    }
    return path
  }

  /// Path of the file beside it that keeps the speeds of GPS receivers.
  func speedMemory() throws(Complaint) -> String { try path() + "-receivers" }
}

/// A command whose result is about the store that was chosen, so it reports which one that is.
protocol StoreVerb: Verb {
  var store: StoreLocation { get }
  /// Whether the result is about the store, and not about an endpoint.
  var isAboutStore: Bool { get }
}

extension StoreVerb {
  var isAboutStore: Bool { true }
}

extension Option {
  /// The option `--store FILE`, for every command that works on a store.
  public static func store(sets place: Place<StoreLocation>) -> Option {
    Option<StoreLocation>.option(
      "store", .file("FILE"),
      shownDefault: "that of the configuration, or else your own",
      environmentVariable: StoreLocation.variable, help: "the store", sets: \.given
    ).lifted(into: place)
  }
}
