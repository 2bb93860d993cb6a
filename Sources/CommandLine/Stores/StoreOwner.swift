internal import LinuxSystem
internal import Terminal
internal import Values

/// The user who owns a store or its folder, or who will own both after the service has created
/// them.
struct StoreOwner: Hashable, Sendable {
  let id: UInt32
  let name: String
  /// Whether the folder that contains the store exists.
  let hasFolder: Bool

  /// Determines a store's owner. Returns `nil` if the system does not list the user.
  init?(of store: String, _ tree: SystemTree) {
    let folder = tree.facts(Folder.containing(store))
    let owner = (tree.facts(store) ?? folder)?.owner
    for line in (tree.text("/etc/passwd") ?? "").split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count > 2, let number = UInt32(fields[2]),
        owner.map({ $0 == number }) ?? (fields[0] == Version.program)
      else { continue }
      id = number
      name = String(fields[0])
      hasFolder = folder != nil
      return
    }
    return nil
  }

  func command(_ words: [String]) -> String { "sudo -u \(name) " + ShellText.list(words) }

  /// Returns a shell command that repeats this process's command line as the store's owner. `sudo`
  /// does not pass on environment variables, so the store is given as an option if the command
  /// accepts one.
  func remedy(for store: String, arguments: [String] = ThisProcess.arguments) -> String {
    var words = arguments
    let command = Commands.all.first { $0.name == words.first }
    let isNamed = words.contains { $0 == "--store" || $0.hasPrefix("--store=") }
    if !isNamed, command?.options.contains(where: { $0.name == "store" }) == true {
      let end = words.firstIndex(of: "--") ?? words.endIndex
      words.insert(contentsOf: ["--store", Folder.absolute(store)], at: end)
    }
    return "run the command as the store's owner: " + self.command([Version.program] + words)
  }

  /// Throws if root would create a store in another user's folder, because that user could not open
  /// the store.
  static func checkMaking(
    _ store: String, _ tree: SystemTree = SystemTree(), arguments: [String] = ThisProcess.arguments
  ) throws(Complaint) {
    guard UserRights(tree).id == 0, !tree.exists(store), let owner = StoreOwner(of: store, tree),
      owner.hasFolder, owner.id != 0
    else { return }
    throw Complaint(
      "root would create the store \(store), which the folder's owner '\(owner.name)' could not open",
      remedy: owner.remedy(for: store, arguments: arguments))
  }
}
