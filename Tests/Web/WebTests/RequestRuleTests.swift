import TestSupport
import Testing
import Web

@Suite(.computation) struct RequestRuleTests {
  private static let rule = RequestRule(
    HostRule(
      port: 8080, isEncrypted: false, computer: "Trail-1.example.net",
      names: ["walks", "https://fleet.example.org"]))
  private static let addresses = Set(
    ["192.168.4.1", "fd00::4:1"].compactMap { NumericAddress($0) })

  private static func refusal(
    _ rule: RequestRule = rule, _ method: String = "POST", isCall: Bool = true,
    hosts: [String] = ["192.168.4.1:8080"], origins: [String] = ["http://192.168.4.1:8080"],
    types: [String] = ["application/json"], sites: [String] = []
  ) -> AccessRefusal? {
    let fields = [
      "Host": hosts, "Origin": origins, "Content-Type": types, "Sec-Fetch-Site": sites,
    ]
    let facts = RequestFacts(method: method, isCall: isCall) { fields[$0] ?? [] }
    do throws(AccessRefusal) {
      try rule.check(facts, addresses: addresses)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    "192.168.4.1:8080", "[fd00::4:1]:8080", "[FD00:0:0:0:0:0:4:1]:8080", "[fd00::4:1%25wlan0]:8080",
    "[::ffff:192.168.4.1]:8080", "127.0.0.1:8080", "127.1.2.3:8080", "[::1]:8080",
    "localhost:8080", "LocalHost:8080", "localhost.:8080", "trail-1.local:8080",
    "TRAIL-1.Local.:8080", "walks:8080", "fleet.example.org", "fleet.example.org:443",
  ])
  func `requests to the page's own addresses and names are accepted`(_ host: String) {
    #expect(Self.refusal(Self.rule, "GET", hosts: [host]) == nil)
  }

  @Test(arguments: [
    "rebound.example.com:8080", "192.168.4.2:8080", "192.168.4.1", "192.168.4.1:80",
    "192.168.4.1:08080x", "192.168.4.1:", "192.168.4.1:80800", "192.168.4.1:-1",
    "192.168.4.1:+8080", "192.168.4.01:8080", "3232236545:8080", "0xc0a80401:8080",
    "[192.168.4.1]:8080", "fd00::4:1:8080", "[fd00::4:1]", "[fd00::4:1:8080", "[::1]8080",
    "trail-1:8080", "trail-1.local..:8080", ".local:8080", "trail-1.local.evil.com:8080",
    "evil.trail-1.local:8080", "walks.evil.com:8080", "user@localhost:8080",
    "localhost:8080/", "localhost:8080, evil.com", "localhost :8080", "ｌocalhost:8080",
    "fleet.example.org:8080", "fleet.example.org:80", "localhost\u{0}:8080", ":8080", "[]:8080",
    "[::1::]:8080", "0.0.0.0:8080", "[::]:8080",
  ])
  func `requests to any other host, for example after DNS rebinding, are rejected`(_ host: String) {
    let refusal = Self.refusal(Self.rule, "GET", isCall: false, hosts: [host])
    #expect(refusal == .foreignHost(host))
    #expect(refusal?.status == 421)
  }

  @Test(arguments: [[], [""], ["localhost:8080", "localhost:8080"]])
  func `a request must contain exactly one host`(_ hosts: [String]) {
    #expect(Self.refusal(hosts: hosts) == .hostMissing)
  }

  @Test func `the default port may be omitted from the host`() {
    let plain = RequestRule(HostRule(port: 80, isEncrypted: false, computer: "a"))
    let secure = RequestRule(HostRule(port: 443, isEncrypted: true, computer: "a"))
    for (rule, scheme, port) in [(plain, "http", 80), (secure, "https", 443)] {
      for host in ["a.local", "a.local:\(port)"] {
        #expect(
          Self.refusal(rule, hosts: [host], origins: ["\(scheme)://a.local"]) == nil)
      }
    }
    #expect(Self.refusal(plain, hosts: ["a.local:443"]) == .foreignHost("a.local:443"))
    #expect(
      Self.refusal(secure, hosts: ["a.local"], origins: ["http://a.local"])
        == .foreignOrigin("http://a.local"))
  }

  @Test(arguments: [
    ("http://192.168.4.1:8080", nil as AccessRefusal?),
    ("HTTP://192.168.4.1:8080", nil),
    ("http://192.168.4.1", .foreignOrigin("http://192.168.4.1")),
    ("https://192.168.4.1:8080", .foreignOrigin("https://192.168.4.1:8080")),
    ("http://localhost:8080", .foreignOrigin("http://localhost:8080")),
    ("http://evil.com", .foreignOrigin("http://evil.com")),
    ("http://192.168.4.1:8080.evil.com", .foreignOrigin("http://192.168.4.1:8080.evil.com")),
    ("http://192.168.4.1:8080@evil.com", .foreignOrigin("http://192.168.4.1:8080@evil.com")),
    ("http://192.168.4.1:8080/", .foreignOrigin("http://192.168.4.1:8080/")),
    ("null", .foreignOrigin("null")), ("", .foreignOrigin("")),
    ("192.168.4.1:8080", .foreignOrigin("192.168.4.1:8080")),
  ])
  func `a command is accepted only from the page's own origin`(
    _ origin: String, _ expected: AccessRefusal?
  ) {
    #expect(Self.refusal(origins: [origin]) == expected)
  }

  @Test func `a command through a proxy must have the proxy's origin`() {
    let host = ["fleet.example.org"]
    #expect(Self.refusal(hosts: host, origins: ["https://fleet.example.org"]) == nil)
    #expect(
      Self.refusal(hosts: host, origins: ["http://fleet.example.org"])
        == .foreignOrigin("http://fleet.example.org"))
  }

  @Test func `a command without an origin or with two origins is rejected`() {
    #expect(Self.refusal(origins: []) == .originMissing)
    let own = "http://192.168.4.1:8080"
    #expect(Self.refusal(origins: [own, own]) == .foreignOrigin(own))
  }

  @Test(arguments: [
    ("application/json", true), ("Application/JSON", true),
    ("application/json; charset=utf-8", true), ("application/json;charset=\"UTF-8\"", true),
    ("application/json; charset=latin1", false), ("application/json; a=b", false),
    ("application/json; charset=utf-8; a=b", false), ("application/jsonp", false),
    ("text/plain; application/json", false), ("text/plain", false), ("", false),
    ("application/json, text/plain", false), ("application/x-www-form-urlencoded", false),
    (String(repeating: ";", count: 10_000), false),
  ])
  func `a command is accepted only as JSON`(_ type: String, _ isTaken: Bool) {
    #expect(Self.refusal(types: [type]) == (isTaken ? nil : .notJSON))
  }

  @Test func `a command must have exactly one content type`() {
    #expect(Self.refusal(types: []) == .notJSON)
    #expect(Self.refusal(types: ["application/json", "application/json"]) == .notJSON)
  }

  struct Site: CustomTestStringConvertible {
    var value: String
    var page: Bool
    var call: Bool
    var command: Bool
    var testDescription: String { value }
  }

  @Test(arguments: [
    Site(value: "same-origin", page: true, call: true, command: true),
    Site(value: "none", page: true, call: true, command: false),
    Site(value: "same-site", page: true, call: false, command: false),
    Site(value: "cross-site", page: true, call: false, command: false),
    Site(value: "anything", page: true, call: false, command: false),
  ])
  func `links from other sites can lead only to the page itself`(_ site: Site) {
    let sites = [site.value]
    #expect((Self.refusal(Self.rule, "GET", isCall: false, sites: sites) == nil) == site.page)
    #expect((Self.refusal(Self.rule, "GET", sites: sites) == nil) == site.call)
    #expect((Self.refusal(Self.rule, "POST", sites: sites) == nil) == site.command)
  }

  @Test(arguments: ["OPTIONS", "PUT", "DELETE", "TRACE", "get", "", "CONNECT"])
  func `requests with unsupported methods are rejected, including preflight requests`(
    _ method: String
  ) {
    #expect(Self.refusal(Self.rule, method) == .unknownMethod)
  }

  @Test(arguments: [
    ("walks.example.org", true), ("https://walks.example.org", true), ("10.0.0.7", true),
    ("[fd00::1]", true), ("walks.example.org:8080", false), ("http://a/b", false), ("", false),
    ("a b", false),
  ])
  func `only a name, an address or an origin without a path may be configured`(
    _ name: String, _ isName: Bool
  ) {
    #expect(HostRule.isName(name) == isName)
  }

  @Test func `random header fields are rejected, and no token is found in them`() {
    let seed: UInt64 = 99
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "localhost", ":", "8080", "[", "]", "::1", "%", ".", "http://", "/", "@", "é", "\u{0}",
      "\r\n",
      "\u{301}", ";", "=", "footbridge", " ", "\"", "🦶",
    ]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...6, using: &generator)).compactMap { _ in
        pieces.randomElement(using: &generator)
      }.joined()
      let refusal = Self.refusal(hosts: [text], origins: [text], types: [text], sites: [text])
      #expect(refusal != nil)
      #expect(SessionCookie.tokens(in: [text]).isEmpty)
    }
  }
}
