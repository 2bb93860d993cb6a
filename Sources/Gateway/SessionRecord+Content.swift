internal import Cryptography
internal import Interchange
public import Recording

extension SessionRecord {
  /// A hash of all that it tells: it changes when a hazard is added or the session is dated, and with
  /// nothing else.
  public var contentHash: [UInt8] { SHA256.hash(of: encoded) }
}
