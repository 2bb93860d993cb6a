/// Folders for temporary files: `TMPDIR`, if it is set.
enum TemporaryPlace {
  /// For small files: otherwise `/tmp`, which may be in memory.
  static var small: String { named ?? "/tmp" }

  /// For data too large for memory: otherwise `/var/tmp`, which is on a disk.
  static var large: String { named ?? "/var/tmp" }

  private static var named: String? {
    Environment.variables["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A path that begins like this, for a call that replaces its last six letters.
  static func template(_ prefix: String, in folder: String) -> ContiguousArray<CChar> {
    "\(folder)/\(prefix)-\(String(repeating: "X", count: 6))".utf8CString
  }
}
