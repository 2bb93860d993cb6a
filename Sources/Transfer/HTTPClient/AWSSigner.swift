/// Signs requests with AWS Signature Version 4. libcurl computes the signature.
///
/// A request's `x-amz-content-sha256` field must contain the hash of its body. libcurl before
/// version 8 does not send this field, and S3 rejects a request without it.
public struct AWSSigner: Hashable, Sendable, CustomStringConvertible {
  /// The AWS region, such as `us-east-1`.
  public var region: String
  /// The AWS service, such as `s3`.
  public var service: String
  public var keyID: String
  public var secret: String

  public init(region: String, service: String, keyID: String, secret: String) {
    self.region = region
    self.service = service
    self.keyID = keyID
    self.secret = secret
  }

  public var description: String { "\(keyID) in \(region)" }
}
