internal import COpenSSL

/// SHA-256 (FIPS 180-4), by which both sides of an upload compare bytes.
///
/// An upload server compares the hash of its bytes with the sender's:
///
///     let sent = Array("abc".utf8)
///     let hash = SHA256.hash(of: sent)
///     let isIntact = SHA256.hash(of: received) == hash
public enum SHA256 {
  /// Bytes of a hash.
  public static let size = 32

  public static func hash(of bytes: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: size)
    var length: UInt32 = 0
    let outcome = unsafe EVP_Digest(bytes, bytes.count, &hash, &length, EVP_sha256(), nil)
    precondition(outcome == 1 && length == size, "OpenSSL lacks SHA-256")
    return hash
  }

  /// The hash of bytes that arrive in pieces, for one thread.
  @safe
  public struct Running: ~Copyable {
    // Safety: this value owns the context and frees it.
    private let context: OpaquePointer

    /// The hash of no bytes yet.
    public init() {
      guard let context = unsafe EVP_MD_CTX_new() else {
        preconditionFailure("no memory for a hash")
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

    /// The hash of all bytes.
    public consuming func end() -> [UInt8] {
      var hash = [UInt8](repeating: 0, count: SHA256.size)
      _ = unsafe EVP_DigestFinal_ex(context, &hash, nil)
      return hash
    }
  }
}
