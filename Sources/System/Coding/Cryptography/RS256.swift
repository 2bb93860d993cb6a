internal import COpenSSL

// Safety: `init` creates the key, nothing changes it afterwards, and this object frees it. OpenSSL
// allows several threads to sign with one key.
/// A private RSA key for signatures with RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section
/// 3.3).
@safe
public final class RS256Key: @unchecked Sendable {
  /// The reason a string is not a usable key. It never quotes the string.
  public struct Unusable: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  private let key: OpaquePointer

  /// Reads an RSA key in PEM format. Throws if the key has a password.
  public init(pem: String) throws(Unusable) {
    // Safety: OpenSSL reads the string in place while the BIO exists, so both exist in the same
    // scope. It reads the password only during the call. The password is empty because OpenSSL
    // would otherwise prompt for the password of an encrypted key.
    var pem = pem
    var found: OpaquePointer?
    pem.withUTF8 { text in
      guard let file = unsafe BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count)) else {
        return
      }
      defer { unsafe BIO_free(file) }
      unsafe "".withCString { password in
        unsafe found = PEM_read_bio_PrivateKey(
          file, nil, nil, UnsafeMutableRawPointer(mutating: password))
      }
    }
    ERR_clear_error()
    guard let key = unsafe found else {
      throw Unusable(description: "the private key is not in PEM format, or has a password")
    }
    guard unsafe EVP_PKEY_is_a(key, "RSA") == 1 else {
      unsafe EVP_PKEY_free(key)
      throw Unusable(description: "the private key is not an RSA key")
    }
    unsafe self.key = key
  }

  deinit {
    unsafe EVP_PKEY_free(key)
  }

  /// Returns `nil` if OpenSSL cannot sign with this key, for example because the key is too short.
  public func signature(of bytes: [UInt8]) -> [UInt8]? {
    guard let context = unsafe EVP_MD_CTX_new() else { return nil }
    defer {
      unsafe EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    var length = 0
    guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
      unsafe EVP_DigestSign(context, nil, &length, bytes, bytes.count) == 1
    else { return nil }
    var signature = [UInt8](repeating: 0, count: length)
    guard unsafe EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1 else {
      return nil
    }
    return Array(signature.prefix(length))
  }
}
