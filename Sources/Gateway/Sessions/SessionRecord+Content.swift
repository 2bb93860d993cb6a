internal import Cryptography
internal import UploadProtocol
public import Recording

extension SessionRecord {
  /// SHA-256 of the record as it travels, by which it is known whether a destination has it as it
  /// is: it changes when a hazard is added or the session is dated, and with nothing else.
  public var contentHash: [UInt8] { SHA256.hash(of: encoded) }
}
