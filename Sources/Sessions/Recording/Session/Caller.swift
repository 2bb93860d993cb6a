public import Values

/// The sender of a request, identified by its token.
public enum Caller: Hashable, Sendable {
  /// An unidentified sender. The receiver uses one token for all senders, or no token.
  case anybody
  /// A gateway with its own token. The token identifies the gateway, even if the request names
  /// another gateway.
  case gateway(UniqueID)
  /// A reader, which may read everything but store nothing.
  case reader
}
