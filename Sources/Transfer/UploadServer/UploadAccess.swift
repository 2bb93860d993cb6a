/// Who may use a receiver.
public enum UploadAccess: Sendable {
  /// Everybody who reaches it.
  case everybody
  /// Whoever sends this token.
  case token(String)
  /// Whoever sends a token that the intake, a `FleetIntake`, knows.
  case ownTokens
}
