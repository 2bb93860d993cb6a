internal import LinuxSystem
internal import Storage

/// Which store a command works on: the one named by `--store`, by the environment, or the user's.
public struct StoreLocation: Hashable, Sendable {
  /// What was named on the command line or in the environment.
  var given: String?
  /// The user's own store; `nil` when the environment does not tell where users keep data.
  private let standard: String?

  /// The variable that stands in for `--store`.
  public static let variable = "FOOTBRIDGE_STORE"

  /// The location by the environment alone.
  public init(environment: [String: String]) {
    // A variable that is set to nothing counts as not set.
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    given = value(Self.variable)
    // The XDG base directory specification has relative paths ignored.
    let data =
      value("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? value("HOME").map { $0 + "/.local/share" }
    standard = data.map { $0 + "/footbridge/footbridge.sqlite" }
  }

  /// Path of the store's file, which need not exist.
  public func path() throws(Complaint) -> String {
    guard let path = given ?? standard else {
      throw Complaint(
        "cannot tell where the store is: HOME is not set",
        remedy: "name it with --store FILE or in the variable \(Self.variable)", status: .usage)
    }
    // Lock and tail are beside the file itself, for whichever link to it is named.
    return Folder.isLink(path) ? PathPattern.target(of: path) : path
  }

  /// Path of the store's file, for commands that make none: a path that was mistyped is not a store
  /// without recordings.
  func existingPath() throws(Complaint) -> String {
    let path = try path()
    guard StoreReader.exists(at: path) else {
      throw Complaint(
        "there is no store at \(path)",
        remedy: "name another store with --store FILE, or record into this one")
    }
    return path
  }

  /// Path of the file beside it that keeps the speeds of GPS receivers.
  func speedMemory() throws(Complaint) -> String { try path() + "-receivers" }
}

extension Option {
  /// The option `--store FILE`, for every command that works on a store.
  public static func store(sets place: Place<StoreLocation>) -> Option {
    Option<StoreLocation>.option(
      "store", .file("FILE"), shownDefault: "$XDG_DATA_HOME/footbridge/footbridge.sqlite",
      environmentVariable: StoreLocation.variable, help: "the store", sets: \.given
    ).lifted(into: place)
  }
}
