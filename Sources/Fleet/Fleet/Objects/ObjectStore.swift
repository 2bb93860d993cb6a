internal import HTTPClient
public import LinuxSystem
internal import Values

/// A client for an S3 bucket that contains immutable objects.
///
/// This example creates an object from a file and reads its last bytes:
///
///     let store = try ObjectStore(address, region: "us-east-1", key: key)
///     try await store.put(file, hash: hash, as: "sessions/1")
///     let (bytes, size) = try await store.read("sessions/1", .last(4))
public final class ObjectStore: Sendable {
  /// A byte range of an object.
  public enum Part: Hashable, Sendable {
    case bytes(Range<Int>)
    /// This many bytes at the end of the object, or the whole object if it is shorter.
    case last(Int)

    fileprivate var text: String {
      switch self {
      case .bytes(let range): "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
      case .last(let count): "bytes=-\(count)"
      }
    }

    fileprivate func range(of size: Int) -> Range<Int> {
      switch self {
      case .bytes(let range): range.clamped(to: 0..<size)
      case .last(let count): max(0, size - count)..<size
      }
    }
  }

  public let address: ObjectStoreAddress
  private let key: ObjectStoreKey
  private let client: HTTPClient

  /// The maximum number of bytes in one read.
  public static let largestPart = 64 << 20
  /// The SHA-256 hash of empty content.
  private static let hashOfNothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  /// Creates a client. No request is sent yet.
  ///
  /// - Parameter stallSeconds: Seconds without progress after which a request is aborted.
  public init(
    _ address: ObjectStoreAddress, region: String, key: ObjectStoreKey,
    agent: String = "footbridge", stallSeconds: Double = 60
  ) throws(SystemError) {
    self.address = address
    self.key = key
    var options = HTTPClientOptions()
    options.agent = agent
    options.connectSeconds = 10
    options.stallSeconds = stallSeconds
    options.answerSeconds = 120
    options.largestAnswer = Self.largestPart + (1 << 16)
    options.signer = AWSSigner(region: region, service: "s3", keyID: key.id, secret: key.secret)
    client = try HTTPClient(options)
  }

  /// Aborts all pending requests. Later requests fail.
  public func close() { client.close() }

  /// Whether `name` consists of lower-case letters, digits, `-` and `/`, and does not start with
  /// `/`.
  public static func isFit(_ name: String) -> Bool {
    ObjectStoreAddress.isFit(name, besides: "-/") && name.utf8.first != UInt8(ascii: "/")
  }

  /// Creates an object from a file with this SHA-256 hash. Fails with `.exists` if the name is
  /// already in use, unless `replacesFormer` is set.
  ///
  /// The service verifies the bytes that it receives, because their hash is part of the signed
  /// request.
  public func put(
    _ file: UnnamedFile, hash: String, as name: String, replacesFormer: Bool = false
  ) async throws(ObjectStoreError) {
    var request = request("PUT", name, hash: hash)
    if !replacesFormer { request.fields.append(HTTPRequest.Field("If-None-Match", "*")) }
    request.fields.append(HTTPRequest.Field("Content-Type", "application/octet-stream"))
    request.file = file
    let what = "write the object \(name)"
    let answer = try await perform(request, what)
    // Every S3 service returns the ETag of a stored object; a guest network's login page does not.
    guard answer.status == 200, answer["etag"] != nil else {
      throw ObjectStoreError(answer, doing: what)
    }
  }

  /// Reads part of an object. Also returns the whole object's size.
  public func read(
    _ name: String, _ part: Part
  ) async throws(ObjectStoreError) -> (bytes: [UInt8], size: Int) {
    var request = request("GET", name, hash: Self.hashOfNothing)
    request.fields.append(HTTPRequest.Field("Range", part.text))
    let what = "read the object \(name)"
    let answer = try await perform(request, what)
    guard answer.status == 206 else { throw ObjectStoreError(answer, doing: what) }
    // The field has the form "bytes 100-199/4711".
    guard let field = answer["content-range"], field.hasPrefix("bytes "),
      let size = field.split(separator: "/").last.flatMap({ Int($0) }), size > 0,
      let range = Optional(part.range(of: size)), !range.isEmpty,
      field == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)",
      answer.body.count == range.count
    else { throw ObjectStoreError(HTTPResponse(status: 206), doing: what) }
    return (answer.body, size)
  }

  private func request(_ method: String, _ name: String, hash: String) -> HTTPRequest {
    precondition(Self.isFit(name), "an object name consists of letters, digits, - and /")
    var request = HTTPRequest(method, "\(address)/\(name)")
    request.fields = [HTTPRequest.Field("x-amz-content-sha256", hash)]
    if let session = key.session {
      request.fields.append(HTTPRequest.Field("x-amz-security-token", session))
    }
    return request
  }

  private func perform(
    _ request: HTTPRequest, _ what: String
  ) async throws(ObjectStoreError) -> HTTPResponse {
    do throws(TransferError) {
      return try await client.perform(request)
    } catch {
      throw ObjectStoreError(error, doing: what)
    }
  }
}
