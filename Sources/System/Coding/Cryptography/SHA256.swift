internal import COpenSSL

/// Computes SHA-256 hashes (FIPS 180-4). Both sides of an upload use these hashes to compare
/// content.
///
/// An upload server compares the hash of the received bytes with the sender's hash:
///
///     let sent = Array("abc".utf8)
///     let hash = SHA256.hash(of: sent)
///     let isIntact = SHA256.hash(of: received) == hash
public enum SHA256 {
  /// A hash's length in bytes.
  public static let size = 32

  public static func hash(of bytes: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: size)
    var length: UInt32 = 0
    let outcome = unsafe EVP_Digest(bytes, bytes.count, &hash, &length, EVP_sha256(), nil)
    precondition(outcome == 1 && length == size, "OpenSSL lacks SHA-256")
    return hash
  }

  /// An incremental hash of bytes that are added in several calls. Only one thread may use it.
  @safe
  public struct Running: ~Copyable {
    // Safety: this value owns the context and frees it.
    private let context: OpaquePointer

    public init() {
      guard let context = unsafe EVP_MD_CTX_new() else {
        preconditionFailure("out of memory for a hash")
      }
      unsafe self.context = context
      let outcome = unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
      precondition(outcome == 1, "OpenSSL lacks SHA-256")
    }

    deinit {
      unsafe EVP_MD_CTX_free(context)
    }

    public mutating func add(_ bytes: [UInt8]) {
      _ = unsafe EVP_DigestUpdate(context, bytes, bytes.count)
    }

    /// Returns the hash of all bytes added so far.
    public consuming func end() -> [UInt8] {
      var hash = [UInt8](repeating: 0, count: SHA256.size)
      _ = unsafe EVP_DigestFinal_ex(context, &hash, nil)
      return hash
    }
  }
}
