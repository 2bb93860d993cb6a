internal import BlueZ

/// This user's permissions, read from `/proc/self/status` and the list of groups.
struct UserRights: Hashable, Sendable {
  /// The effective user id.
  var id: UInt32
  /// The ids of the groups that the process belongs to.
  var groups: Set<UInt32>
  /// The names of groups by id, if the computer lists them.
  var names: [UInt32: String]
  /// The Linux capabilities of the process, which extend the user's permissions.
  var capabilities: Capabilities

  /// Returns whether the process belongs to the group with this name, or runs as root.
  func belongs(to name: String) -> Bool {
    id == 0 || names.contains { $0.value == name && groups.contains($0.key) }
  }

  /// Returns a group's name for use in a remedy, or the group's id if it has no name.
  func name(ofGroup group: UInt32) -> String { names[group] ?? "\(group)" }
}

extension UserRights {
  /// Reads the permissions. Without `/proc`, the process is assumed to belong to no groups.
  init(_ tree: SystemTree) {
    let status = tree.text("/proc/thread-self/status") ?? tree.text("/proc/self/status") ?? ""
    func numbers(_ name: String) -> [UInt32] {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      return (line ?? "").split(whereSeparator: \.isWhitespace).compactMap { UInt32($0) }
    }
    // The 'Uid' and 'Gid' lines contain four ids each; the second is the effective id, which the
    // kernel checks.
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
