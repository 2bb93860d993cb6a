/// The callers that an upload server accepts.
public enum UploadAccess: Sendable {
  /// Permit anyone who can reach the server.
  case everybody
  /// Permit callers that send this token.
  case token(String)
  /// Permit callers that send a token known to the intake.
  case ownTokens
}
