internal import LinuxSystem
internal import Storage
public import Terminal
internal import Values

/// The store that a command uses. Its path comes from `--store`, or else from the environment, the
/// configuration in use, or this user's default. In a simulation, the simulation's store replaces
/// the default, and also the store of a configuration that the user did not name.
public struct StoreLocation: Hashable, Sendable {
  /// The path given on the command line.
  public var given: String?
  /// The configuration that names the store if the user does not. It is the running gateway's
  /// configuration.
  var configuration: ConfigurationLocation
  /// The time at which a user requested the current task; `nil` for now.
  var asked: BootTime?
  /// The path given in the environment.
  private let named: String?
  /// The simulation's store, if the command runs in a simulation.
  private let simulated: String?
  /// The path of this user's default store; `nil` if the environment does not define a data folder.
  private let own: String?

  /// The environment variable that sets the store, like `--store`.
  public static let variable = "FOOTBRIDGE_STORE"
  /// The environment variable that contains the path of a simulation's store.
  static let simulationVariable = "FOOTBRIDGE_SIMULATION_STORE"

  public init(environment: [String: String]) {
    // An empty variable is treated as unset.
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    configuration = ConfigurationLocation(environment: environment)
    named = value(Self.variable)
    simulated = value(Self.simulationVariable)
    // The XDG base directory specification requires relative paths to be ignored.
    let data =
      value("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? value("HOME").map { $0 + "/.local/share" }
    own = data.map { $0 + "/footbridge/footbridge.sqlite" }
  }

  /// Returns the store for commands in a simulation: the store given by the user, or else a store
  /// next to the user's default store.
  static func simulation(_ environment: [String: String]) -> String {
    let location = StoreLocation(environment: environment)
    return Folder.absolute(
      location.named ?? location.simulated
        ?? (location.own.map(Folder.containing) ?? "") + "simulation.sqlite")
  }

  /// Returns the same location with a different configuration, for a command with its own options
  /// for the configuration.
  func following(_ configuration: ConfigurationLocation) -> StoreLocation {
    var location = self
    location.configuration = configuration
    return location
  }

  /// Returns the store file's path; the file need not exist.
  public func path() throws(Complaint) -> String {
    guard let path = try chosen() else {
      throw Complaint(
        "cannot determine the path of the store: HOME is not set",
        remedy: "specify it with --store FILE or in the variable \(Self.variable)", status: .usage)
    }
    // The lock and the tail are next to the actual file, so symbolic links are resolved.
    return Folder.isLink(path) ? PathPattern.target(of: path) : path
  }

  private func chosen() throws(Complaint) -> String? {
    if let path = given ?? named { return path }
    return try configured() ?? simulated ?? own
  }

  /// Whether the command runs in a simulation and the user named no configuration. If so, this
  /// computer's gateway must not be used.
  var isSimulated: Bool { simulated != nil && !configuration.isNamed }

  /// Returns whether the store's path comes from the configuration.
  func isConfigured() throws(Complaint) -> Bool {
    guard given == nil, named == nil else { return false }
    return try configured() != nil
  }

  /// Prints the store's path if it comes from the configuration or the simulation.
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

  /// Returns the store file's path, for commands that never create a store. Throws if the file does
  /// not exist. Otherwise, a mistyped path could be mistaken for a store without recordings.
  func existingPath() throws(Complaint) -> String {
    let path = try readablePath()
    guard StoreReader.exists(at: path) else {
      throw Complaint(
        Folder.exists(path)
          ? "\(path) is empty: nothing was recorded into it" : "there is no store at \(path)",
        remedy: "specify another store with --store FILE, or record into this one")
    }
    return path
  }

  /// Returns the store file's path. Throws if this user may not read the store, which would
  /// otherwise appear to be missing.
  func readablePath() throws(Complaint) -> String {
    let path = try path()
    if let refusal = FileFacts.refusal(path, writing: false), refusal.isForbidden {
      let owner = StoreOwner(of: path, SystemTree())
      throw Complaint(
        refusal.description,
        remedy: (owner.map { $0.remedy(for: path) + "\n" } ?? "")
          + "specify another store with --store FILE")
    }
    return path
  }

  /// Returns the path of a file next to the store. The file contains the detected baud rates of GPS
  /// receivers.
  func speedMemory() throws(Complaint) -> String { try path() + "-receivers" }
}

/// A command whose result depends on the chosen store. It reports which store it uses.
protocol StoreVerb: Verb {
  var store: StoreLocation { get }
  /// Whether the result is about the store rather than about an upload endpoint.
  var isAboutStore: Bool { get }
}

extension StoreVerb {
  var isAboutStore: Bool { true }
}

extension Option {
  /// The option `--store FILE`, for every command that uses a store.
  public static func store(sets place: Place<StoreLocation>) -> Option {
    Option<StoreLocation>.option(
      "store", .file("FILE"),
      shownDefault: "the one in the configuration, or else your own",
      environmentVariable: StoreLocation.variable, help: "the store", sets: \.given
    ).lifted(into: place)
  }
}
