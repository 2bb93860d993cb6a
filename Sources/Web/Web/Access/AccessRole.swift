/// A paired browser's rights.
public enum AccessRole: String, CaseIterable, Comparable, Sendable {
  /// May view and download everything.
  case look
  /// May also start and stop recordings, note hazards, and change and delete sessions.
  case operate

  /// Orders roles by their rights, with the fewest rights first.
  public static func < (less: AccessRole, more: AccessRole) -> Bool {
    less == .look && more == .operate
  }

  /// Returns whether a browser with this role may make a call that requires the role `needed`.
  public func covers(_ needed: AccessRole) -> Bool { self >= needed }
}
