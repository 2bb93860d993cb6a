internal import Coding
internal import UploadProtocol
public import Recording

extension SessionRecord {
  /// SHA-256 of the encoded record. Shows whether a destination has the current version.
  public var contentHash: [UInt8] { SHA256.hash(of: encoded) }
}
