internal import LinuxSystem

/// The user to whom the folder of a store belongs, or will when the service has made it.
struct StoreOwner: Hashable, Sendable {
  /// The number of the user.
  let id: UInt32
  /// The name of the user.
  let name: String
  /// Whether the folder is there.
  let hasFolder: Bool

  /// `nil` for a user whom the system does not know.
  init?(of store: String, _ tree: SystemTree) {
    let owner = tree.facts(Folder.containing(store))?.owner
    for line in (tree.text("/etc/passwd") ?? "").split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count > 2, let number = UInt32(fields[2]),
        owner.map({ $0 == number }) ?? (fields[0] == Version.program)
      else { continue }
      id = number
      name = String(fields[0])
      hasFolder = owner != nil
      return
    }
    return nil
  }

  /// A command as it is typed to run as this user.
  func command(_ words: [String]) -> String { "sudo -u \(name) " + ShellText.list(words) }
}
