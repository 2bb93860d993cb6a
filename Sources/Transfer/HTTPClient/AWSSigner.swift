/// Signs requests by AWS Signature Version 4, which libcurl computes.
///
/// The request itself has to name the hash of its body, in the field `x-amz-content-sha256`:
/// releases of libcurl before 8 send none, and S3 refuses what has none.
public struct AWSSigner: Hashable, Sendable, CustomStringConvertible {
  /// The region, such as `us-east-1`.
  public var region: String
  /// The service, such as `s3`.
  public var service: String
  /// The name of the key.
  public var keyID: String
  /// The key.
  public var secret: String

  /// A signer with these parts.
  public init(region: String, service: String, keyID: String, secret: String) {
    self.region = region
    self.service = service
    self.keyID = keyID
    self.secret = secret
  }

  /// The name of the key, and not the key.
  public var description: String { "\(keyID) in \(region)" }
}
