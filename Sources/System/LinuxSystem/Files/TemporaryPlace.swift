/// Determines the parent folders of temporary files. `TMPDIR`, if set, is used for all of them.
enum TemporaryPlace {
  /// The parent folder of small files. Without `TMPDIR` it is `/tmp`, which may be in memory.
  static var small: String { named ?? "/tmp" }

  /// The parent folder of data that is too large for memory. Without `TMPDIR` it is `/var/tmp`,
  /// which is on a disk.
  static var large: String { named ?? "/var/tmp" }

  private static var named: String? {
    Environment.variables["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns a path template for `mkdtemp` and similar calls, which replace its last six letters.
  static func template(_ prefix: String, in folder: String) -> ContiguousArray<CChar> {
    "\(folder)/\(prefix)-\(String(repeating: "X", count: 6))".utf8CString
  }
}
