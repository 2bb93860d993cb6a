public import Values

/// Whom a request comes from, by the token that it brings.
public enum Caller: Hashable, Sendable {
  /// Anybody who may send here: the receiver has one token for all, or none.
  case anybody
  /// A gateway with a token of its own, whatever its requests say of other gateways.
  case gateway(UniqueID)
  /// Somebody who may read everything and store nothing.
  case reader
}
