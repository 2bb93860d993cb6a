internal import CommandLineTool
internal import LinuxSystem
internal import Fleet
internal import Terminal
internal import Upload
internal import Values

/// An S3 bucket, as specified by a command's options, with its region and its key.
struct Bucket: Sendable {
  private let address: ObjectStoreAddress
  private let region: String
  private let key: ObjectStoreKey

  /// Validates the bucket's address and region. Reads the key from a file if one is specified,
  /// otherwise from the environment.
  init(
    _ text: String, region: String?, keyFile: String?, environment: [String: String],
    command: String
  ) throws(Complaint) {
    do throws(ObjectStoreAddress.Misfit) {
      address = try ObjectStoreAddress(text)
    } catch {
      let (message, remedy) =
        switch error {
        case .noAddress:
          (
            "'--objects' is not a bucket address",
            "use the form 'https://s3.example.org/BUCKET'"
          )
        case .hasSecret:
          (
            "'--objects' contains a user or a password",
            "remove it from the address, and specify the key with '--objects-key-file FILE'"
          )
        case .noBucket:
          (
            "'--objects' does not name a usable bucket",
            "use the form 'https://s3.example.org/BUCKET/PREFIX', in lower-case letters, digits and "
              + "hyphens"
          )
        case .isPlain:
          ("'--objects' is not encrypted", "use an https:// address")
        }
      throw .usage(message, remedy: remedy, command: command)
    }
    let named = region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? ""
    self.region = named.isEmpty ? "us-east-1" : named
    guard self.region.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x3a && $0 != 0x2f }) else {
      throw .usage(
        "the bucket's region is invalid",
        remedy: "set '--objects-region' to a region such as 'eu-central-1'", command: command)
    }
    guard let keyFile else {
      guard let key = ObjectStoreKey(environment: environment) else {
        throw .usage(
          "the bucket's key is missing",
          remedy: "specify its file with '--objects-key-file FILE', or set AWS_ACCESS_KEY_ID and "
            + "AWS_SECRET_ACCESS_KEY", command: command)
      }
      self.key = key
      return
    }
    let text: Secret
    do throws(SecretFile.Failure) {
      text = try SecretFile(keyFile).read()
    } catch {
      throw Complaint(error.reason, remedy: error.remedy)
    }
    guard let key = ObjectStoreKey(file: text.revealed) else {
      throw Complaint(
        "no bucket key found in \(keyFile)",
        remedy: "write two lines into it: 'aws_access_key_id = …' and 'aws_secret_access_key = …'")
    }
    self.key = key
  }

  /// Opens the bucket with its own connections. Requests for readers time out earlier, so that the
  /// reader gets an error from the S3 service rather than a timeout from the upload server.
  func open(forReaders isForReaders: Bool = false) throws(SystemError) -> ObjectStore {
    try ObjectStore(
      address, region: region, key: key, agent: Version.agent,
      stallSeconds: isForReaders ? 10 : 60)
  }
}
