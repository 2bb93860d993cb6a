internal import HTTPClient
internal import Values

extension ObjectStoreError {
  /// Creates the error for a request that got no response.
  init(_ error: TransferError, doing what: String) {
    let kind: Kind =
      switch error.kind {
      case .unreachable: .unavailable
      case .interrupted: .unknownOutcome
      case .untrusted, .impossible: .refused
      case .cancelled: .unavailable
      }
    self.init(
      kind, "cannot \(what): \(error.reason)",
      remedy: error.remedy.isEmpty
        ? "check that the S3 service is running and its address is correct" : error.remedy)
  }

  /// Creates the error for a response that reports a failure.
  init(_ answer: HTTPResponse, doing what: String) {
    let code = Self.code(in: answer.body)
    let (kind, remedy): (Kind, String) =
      switch (answer.status, code) {
      case (412, _): (.exists, "inspect the existing object")
      case (404, "NoSuchBucket"): (.refused, "create the bucket, or correct its name")
      case (404, "NoSuchKey"): (.missing, "restore the object from a backup")
      case (404, _): (.foreign, "check that the address points to an S3 service")
      case (416, _): (.tooShort, "restore the object from a backup")
      case (_, "RequestTimeTooSkewed"): (.refused, "set this computer's clock")
      case (_, "SignatureDoesNotMatch"), (_, "InvalidAccessKeyId"), (_, "InvalidAccessKey"),
        (_, "ExpiredToken"), (_, "InvalidToken"):
        (.refused, "correct the access key and its secret, and check this computer's clock")
      case (301, _), (307, _), (_, "AuthorizationHeaderMalformed"):
        (.refused, "specify the bucket's own region and address")
      case (401, _), (403, _): (.refused, "allow the access key to read and write in this bucket")
      case (409, _), (429, _), (503, _): (.unavailable, "wait: the service is busy")
      // It is unknown whether the request was carried out: a proxy may have reported the error, or
      // the connection may have broken.
      case (500..., _): (.unknownOutcome, "see the log of the S3 service")
      case (200..<300, _): (.foreign, "check that the address points to an S3 service")
      default: (.refused, "check that the address points to an S3 service")
      }
    let words = code.isEmpty ? "status \(answer.status)" : "\(answer.status) \(code)"
    self.init(
      kind,
      kind == .foreign
        ? "cannot \(what): the response is not from an S3 service (\(words))"
        : "cannot \(what): \(words)", remedy: remedy)
  }

  /// Returns the error code from an S3 response's XML body; empty if there is none.
  private static func code(in body: [UInt8]) -> String {
    let text = String(decoding: body.prefix(4_096), as: UTF8.self)
    guard let start = text.firstRange(ofText: "<Code>"),
      let end = text[start.upperBound...].firstRange(ofText: "</Code>")
    else { return "" }
    let code = text[start.upperBound..<end.lowerBound]
    let isWord = code.utf8.allSatisfy { (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) }
    return isWord && code.utf8.count <= 64 ? String(code) : ""
  }
}
