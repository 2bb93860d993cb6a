internal import Foundation
internal import LinuxSystem
public import Values

/// An upload server on the loopback interface that causes scripted faults (`fault_server.py`). It
/// runs in its own process.
///
/// The server stores uploads in a folder, where a test can count them. Alternatively it relays to
/// another server (`upstream`) and corrupts the traffic. To change the plan of faults, start
/// another server.
public final class FaultServer: Sendable {
  /// A fault, or another action of the server, and the requests to which it applies.
  public struct Rule: Encodable, Sendable {
    var method: String?
    var path: String?
    var skip: Int?
    var times: Int?
    var effect: String?
    var status: Int?
    var fields: [String: String]?
    var body: String?
    var to: String?
    var seconds: Double?
    var share: Double?
    var seed: UInt32?
    var of: [String]?

    /// Limits the rule to requests with this method and with a path that matches this regular
    /// expression. The first `skip` of these requests are processed normally, and the effect
    /// applies to the next `times` requests.
    public func on(
      _ method: String? = nil, path: String? = nil, after skip: Int = 0, times: Int? = nil
    ) -> Rule {
      var rule = self
      (rule.method, rule.path, rule.skip, rule.times) = (method, path, skip, times)
      return rule
    }

    /// Returns a rule with an effect listed in `fault_server.py` that needs no parameters, such as
    /// `lost`.
    public static func effect(_ effect: String) -> Rule {
      var rule = Rule()
      rule.effect = effect
      return rule
    }

    /// Returns a rule that sends a fixed response.
    public static func status(
      _ status: Int, fields: [String: String] = [:], body: String = ""
    ) -> Rule {
      var rule = effect("status")
      (rule.status, rule.fields, rule.body) = (status, fields, body)
      return rule
    }

    public static func redirect(to address: String, status: Int = 308) -> Rule {
      var rule = effect("redirect")
      (rule.status, rule.to) = (status, address)
      return rule
    }

    /// Returns a rule that applies one of these effects to some requests. A seeded generator
    /// selects them at random.
    public static func some(_ share: Double, of effects: [String], seed: UInt32) -> Rule {
      var rule = Rule()
      (rule.share, rule.of, rule.seed) = (share, effects, seed)
      return rule
    }
  }

  /// A server's settings, other than its rules.
  public struct Options: Sendable {
    /// The address on which the server listens; `::1` for IPv6.
    public var host = "127.0.0.1"
    /// The folder for chunks and documents. Without one, only their hashes are stored.
    public var folder: String?
    /// The server to which requests are relayed.
    public var upstream: String?
    /// The token that requests must contain.
    public var token: String?
    /// A file that contains the token that requests must contain. The server reads the file for
    /// each request.
    public var tokenFile: String?
    /// The server's certificate for TLS.
    public var certificate: TestCertificate?
    /// The authority that must have signed every client certificate.
    public var clientAuthority: String?
    /// Whether the server accepts several chunks in one request.
    public var takesBatches = true
    /// Whether the server accepts gzipped bodies.
    public var takesGzip = true
    /// Whether responses contain text that explains the status.
    public var hasWords = true
    /// The maximum size of a body in bytes.
    public var maximumBody: Int?

    /// Creates options for a server that uses plain HTTP on 127.0.0.1 and requires no token.
    public init() {}
  }

  /// A request that the server received.
  public struct Request: Decodable, Sendable {
    public var method: String?
    /// The path of the request, as sent by the client.
    public var path: String?
    /// The effect applied to the request, or `none`.
    public var effect: String
    /// The number of the request's connection, in order of arrival.
    public var connection: Int?
    /// The status of the response, even if the response was then lost.
    public var status: Int?
    /// The length of the received body in bytes.
    public var length: Int?
    /// The hash of the received body in hexadecimal.
    public var sha256: String?
    /// The header fields, with names in lower case.
    public var fields: [String: String]?
  }

  private let program: Program
  public let port: UInt16
  private let options: Options
  private let marks: UInt16
  private let marked = Guarded(0)

  private init(_ program: Program, port: UInt16, marks: UInt16, options: Options) {
    self.program = program
    self.port = port
    self.marks = marks
    self.options = options
  }

  /// Starts a server that applies these rules.
  public static func start(
    _ plan: [Rule] = [], _ options: Options = Options()
  ) async throws -> FaultServer {
    let script = Repository.path("fault_server.py", beside: #filePath)
    let plan = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
    var arguments = [script, "--host", options.host, "--plan", plan]
    for (name, value) in [
      ("--into", options.folder), ("--upstream", options.upstream), ("--token", options.token),
      ("--token-file", options.tokenFile), ("--certificate", options.certificate?.file),
      ("--key", options.certificate?.keyFile), ("--client-authority", options.clientAuthority),
      ("--maximum-body", options.maximumBody.map(String.init)),
    ] {
      if let value { arguments += [name, value] }
    }
    if !options.takesBatches { arguments.append("--no-batch") }
    if !options.takesGzip { arguments.append("--no-gzip") }
    if !options.hasWords { arguments.append("--no-words") }
    let program = try Program("/usr/bin/python3", arguments)
    struct Greeting: Decodable {
      var port: UInt16
      var marks: UInt16
    }
    guard let line = await program.line() else {
      let outcome = await program.wait(within: 0)
      throw Failure(description: "the fault server did not start: \(outcome.errors)")
    }
    let greeting = try JSONDecoder().decode(Greeting.self, from: Data(line.utf8))
    return FaultServer(program, port: greeting.port, marks: greeting.marks, options: options)
  }

  /// The reason why a server could not be started.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Returns the server's URL with this host name, or with the IP address if `host` is `nil`.
  public func url(host: String? = nil) -> String {
    let host = host ?? options.host
    let scheme = options.certificate == nil ? "http" : "https"
    return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// The requests received so far. A request that the server carries out is listed before its
  /// response.
  public var requests: [Request] {
    get async {
      // The server's output may still be in transit. The test therefore requests a mark, which the
      // server prints after that output.
      let expected = marked.withLock { count in
        count += 1
        return count
      }
      guard let connection = try? TCPConnection(host: "127.0.0.1", port: marks) else { return [] }
      var lines = decoded
      while lines.count(where: { $0.effect == "mark" }) < expected, program.isRunning {
        try? await Task.sleep(for: .milliseconds(5))
        lines = decoded
      }
      _ = consume connection
      return lines.filter { $0.effect != "mark" }
    }
  }

  private var decoded: [Request] {
    program.lines.dropFirst().compactMap { line in
      try? JSONDecoder().decode(Request.self, from: Data(line.utf8))
    }
  }

  /// The chunks in the server's folder, with their bytes.
  public func chunks() throws -> [UniqueID: [UInt8]] {
    guard let folder = options.folder else { return [:] }
    let path = folder + "/chunks"
    guard FileManager.default.fileExists(atPath: path) else { return [:] }
    var chunks: [UniqueID: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      guard let id = UniqueID(name) else { continue }
      chunks[id] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }
    return chunks
  }

  /// Ends the server process.
  public func stop() async {
    _ = await program.wait(within: 0)
  }
}
