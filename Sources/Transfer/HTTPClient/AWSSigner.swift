/// Signs requests by AWS Signature Version 4, which libcurl computes.
///
/// The request must carry the hash of its body in the field `x-amz-content-sha256`: libcurl before
/// version 8 sends none, and S3 refuses a request without it.
public struct AWSSigner: Hashable, Sendable, CustomStringConvertible {
  /// The region, such as `us-east-1`.
  public var region: String
  /// The service, such as `s3`.
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
