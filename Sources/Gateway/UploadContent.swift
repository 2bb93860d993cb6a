internal import Cryptography
internal import Interchange
internal import Recording

/// The content of a session's record, by which it is known whether a destination has it as it is.
enum UploadContent {
  /// SHA-256 of the record as it travels.
  static func hash(of record: SessionRecord) -> [UInt8] {
    SHA256.hash(of: record.encoded)
  }
}
