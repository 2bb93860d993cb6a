/// What a paired browser may do.
public enum AccessRole: String, CaseIterable, Comparable, Sendable {
  /// To see everything, and to download it.
  case look
  /// Also to start and stop, to note hazards, and to change and delete sessions.
  case operate

  /// Orders roles by what they allow.
  public static func < (less: AccessRole, more: AccessRole) -> Bool {
    less == .look && more == .operate
  }

  /// Whether a browser with this role may make a call for which `needed` is required.
  public func covers(_ needed: AccessRole) -> Bool { self >= needed }
}
