internal import HTTPClient

/// The address of a bucket of an S3 service, with a prefix for the names of objects:
/// `https://HOST[:PORT]/BUCKET[/PREFIX]`.
public struct ObjectStoreAddress: Hashable, Sendable, CustomStringConvertible {
  /// Why a text is no such address.
  public enum Misfit: Error, Hashable, Sendable {
    /// It is no address of the kind `https://HOST/BUCKET`.
    case noAddress
    /// It contains a user's name or password.
    case hasSecret
    /// It names no bucket, or one with characters that no bucket and no prefix may have here.
    case noBucket
    /// It is not encrypted, and leads to another computer.
    case isPlain
  }

  /// Scheme, host, bucket and prefix, without a slash at the end.
  public let description: String

  /// Reads an address.
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

  /// Whether a text has only lower-case letters, digits and these: what every release of libcurl
  /// signs as S3 does.
  static func isFit(_ text: some StringProtocol, besides others: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || others.utf8.contains(byte)
      }
  }
}
