internal import BlueZ

/// The rights of this user, from `/proc/self/status` and the list of groups.
struct UserRights: Hashable, Sendable {
  /// The number of the user.
  var id: UInt32
  /// The numbers of the groups that the process belongs to.
  var groups: Set<UInt32>
  /// The names of groups by number, as far as the computer lists them.
  var names: [UInt32: String]
  /// Capabilities beyond the user's rights.
  var capabilities: Capabilities

  /// Whether the process belongs to a group of this name.
  func belongs(to name: String) -> Bool {
    id == 0 || names.contains { $0.value == name && groups.contains($0.key) }
  }

  /// The name of a group, for a remedy; its number if it has none.
  func name(ofGroup group: UInt32) -> String { names[group] ?? "\(group)" }
}

extension UserRights {
  /// Reads them; a process without `/proc` belongs to no group.
  init(_ tree: SystemTree) {
    let status = tree.text("/proc/thread-self/status") ?? tree.text("/proc/self/status") ?? ""
    func numbers(_ name: String) -> [UInt32] {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      return (line ?? "").split(whereSeparator: \.isWhitespace).compactMap { UInt32($0) }
    }
    // The lines have four numbers; the second is the effective id, which the kernel checks.
    let user = numbers("Uid").dropFirst().first
    id = user ?? .max
    groups = Set(numbers("Groups")).union(numbers("Gid").dropFirst().prefix(1))
    names = [:]
    for line in (tree.text("/etc/group") ?? "").split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count >= 3, let number = UInt32(fields[2]) else { continue }
      names[number] = String(fields[0])
    }
    capabilities = Capabilities(status: status) ?? Capabilities(bits: 0)
  }
}
