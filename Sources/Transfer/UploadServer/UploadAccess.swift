/// Who may use an upload server.
public enum UploadAccess: Sendable {
  /// Everybody who reaches it.
  case everybody
  /// All who send this token.
  case token(String)
  /// All who send a token that the intake knows.
  case ownTokens
}
