/// The callers that an upload server admits.
public enum UploadAccess: Sendable {
  /// Everyone who can reach it.
  case everybody
  /// Callers that send this token.
  case token(String)
  /// Callers that send a token known to the intake.
  case ownTokens
}
