internal import Foundation
internal import LinuxSystem
public import Values

/// A receiver of the upload protocol on loopback with scripted faults (`fault_server.py`), in its
/// own process.
///
/// It keeps the uploads in a folder, so that a test can count them. Alternatively it relays to
/// another server (`upstream`) and corrupts the traffic. A plan cannot be changed: start another
/// server for another plan.
public final class FaultServer: Sendable {
  /// The server's action for matching requests.
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

    /// Limits the rule to requests with this method and with a path in which this regular
    /// expression is found. The rule lets the first `skip` of them pass and then applies to `times`
    /// of them.
    public func on(
      _ method: String? = nil, path: String? = nil, after skip: Int = 0, times: Int? = nil
    ) -> Rule {
      var rule = self
      (rule.method, rule.path, rule.skip, rule.times) = (method, path, skip, times)
      return rule
    }

    /// One of the effects that `fault_server.py` lists and that need nothing else, such as `lost`.
    public static func effect(_ effect: String) -> Rule {
      var rule = Rule()
      rule.effect = effect
      return rule
    }

    /// A fixed answer.
    public static func status(
      _ status: Int, fields: [String: String] = [:], body: String = ""
    ) -> Rule {
      var rule = effect("status")
      (rule.status, rule.fields, rule.body) = (status, fields, body)
      return rule
    }

    /// A redirect.
    public static func redirect(to address: String, status: Int = 308) -> Rule {
      var rule = effect("redirect")
      (rule.status, rule.to) = (status, address)
      return rule
    }

    /// One of these effects at random, for a share of the requests, by a seeded generator.
    public static func some(_ share: Double, of effects: [String], seed: UInt32) -> Rule {
      var rule = Rule()
      (rule.share, rule.of, rule.seed) = (share, effects, seed)
      return rule
    }
  }

  /// The other settings of a server.
  public struct Options: Sendable {
    /// The address at which it listens; `::1` for IPv6.
    public var host = "127.0.0.1"
    /// The folder in which it keeps chunks and documents; none keeps only their hashes.
    public var folder: String?
    /// The server to which it relays.
    public var upstream: String?
    /// The token it requires.
    public var token: String?
    /// A file with the token it requires, read for each request.
    public var tokenFile: String?
    /// The certificate for TLS.
    public var certificate: TestCertificate?
    /// The authority that must have signed a client's certificate.
    public var clientAuthority: String?
    /// Whether it accepts several chunks together.
    public var takesBatches = true
    /// Whether it accepts gzipped bodies.
    public var takesGzip = true
    /// Whether its answers have a text, and not only a status.
    public var hasWords = true
    /// The most bytes of a body.
    public var maximumBody: Int?

    /// Plain HTTP on 127.0.0.1 for everybody.
    public init() {}
  }

  /// A request that the server received.
  public struct Request: Decodable, Sendable {
    /// The method.
    public var method: String?
    /// The path as it was written.
    public var path: String?
    /// The effect applied to the request; `none` if there was none.
    public var effect: String
    /// The number of its connection.
    public var connection: Int?
    /// The status of the answer, even if the answer was then lost.
    public var status: Int?
    /// The length of the body in bytes, as received.
    public var length: Int?
    /// The hash of the body in hexadecimal, as received.
    public var sha256: String?
    /// Header fields, names in lower case.
    public var fields: [String: String]?
  }

  private let program: Program
  /// The port it listens at.
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

  /// Starts a server with this plan.
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

  /// Its address, for a client that uses this host name; the IP address if no name is given.
  public func url(host: String? = nil) -> String {
    let host = host ?? options.host
    let scheme = options.certificate == nil ? "http" : "https"
    return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// The requests received so far. Requests that it carries out are listed before their answers.
  public var requests: [Request] {
    get async {
      // Its output may still be in transit. It prints a mark after that output, one for each mark
      // that was requested.
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

  /// The chunks it keeps in its folder, with their bytes.
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

  /// Ends the server.
  public func stop() async {
    _ = await program.wait(within: 0)
  }
}
