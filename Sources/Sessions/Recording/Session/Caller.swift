public import Values

/// The origin of a request, by its token.
public enum Caller: Hashable, Sendable {
  /// Any sender: the receiver has one token for all, or none.
  case anybody
  /// A gateway with a token of its own, whatever its requests say about other gateways.
  case gateway(UniqueID)
  /// A reader who may read everything and store nothing.
  case reader
}
