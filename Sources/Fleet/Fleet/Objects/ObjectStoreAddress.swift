internal import HTTPClient

/// The address of a bucket on an S3 service, with an optional prefix for object names:
/// `https://HOST[:PORT]/BUCKET[/PREFIX]`.
public struct ObjectStoreAddress: Hashable, Sendable, CustomStringConvertible {
  /// The reason why a string is not a valid bucket address.
  public enum Misfit: Error, Hashable, Sendable {
    /// The string does not have the form `https://HOST/BUCKET`.
    case noAddress
    /// The address contains a user name or a password.
    case hasSecret
    /// The bucket name is missing, or it or the prefix contains unsupported characters.
    case noBucket
    /// The address points to another computer but does not use encryption.
    case isPlain
  }

  /// The scheme, host, bucket and prefix, without a trailing slash.
  public let description: String

  public init(_ text: String) throws(Misfit) {
    guard let address = WebAddress(text), !address.hasQuery else { throw .noAddress }
    guard !address.namesUser else { throw .hasSecret }
    let host = address.host.lowercased()
    let isLocal = host == "localhost" || host.hasPrefix("127.") || host == "[::1]"
    guard address.isEncrypted || isLocal else { throw .isPlain }
    let parts = address.path.split(separator: "/", omittingEmptySubsequences: true)
    guard let bucket = parts.first, Self.isFit(bucket, besides: "-."),
      parts.dropFirst().allSatisfy({ Self.isFit($0, besides: "-") })
    else { throw .noBucket }
    let port = address.port.map { ":\($0)" } ?? ""
    description =
      (address.isEncrypted ? "https://" : "http://") + host + port + "/"
      + parts.joined(separator: "/")
  }

  /// Whether a string contains only lower-case letters, digits and the characters in `others`.
  /// Every release of libcurl signs these characters correctly.
  static func isFit(_ text: some StringProtocol, besides others: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || others.utf8.contains(byte)
      }
  }
}
