/// Where temporary files and folders are made: in `TMPDIR`, if that is set.
enum TemporaryPlace {
  /// For what is small: else `/tmp`, which may be memory.
  static var small: String { named ?? "/tmp" }

  /// For bytes that are too many for memory: else `/var/tmp`, which is a disk.
  static var large: String { named ?? "/var/tmp" }

  private static var named: String? {
    Environment.variables["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A path that begins like this, for a call that replaces its last six letters.
  static func template(_ prefix: String, in folder: String) -> ContiguousArray<CChar> {
    "\(folder)/\(prefix)-\(String(repeating: "X", count: 6))".utf8CString
  }
}
