/// The rights of a paired browser.
public enum AccessRole: String, CaseIterable, Comparable, Sendable {
  /// View and download everything.
  case look
  /// Also start and stop, note hazards, and change and delete sessions.
  case operate

  /// Orders roles by what they allow.
  public static func < (less: AccessRole, more: AccessRole) -> Bool {
    less == .look && more == .operate
  }

  /// Whether a browser with this role may make a call for which `needed` is required.
  public func covers(_ needed: AccessRole) -> Bool { self >= needed }
}
