import TestSupport
import Testing

@testable import CommandLineTool
@testable import Terminal

/// The text that is removed from a support report, and the text that remains in it.
@Suite(.computation) struct ConcealmentTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    var expected: String

    init(_ text: String, _ expected: String) {
      self.text = text
      self.expected = expected
    }

    var testDescription: String { text }
  }

  @Test(arguments: [
    // In addresses: the text before '@', and the text after '?' or '#'.
    Case(
      "to https://anna:hunter2@walks.example.org/up, refused",
      "to https://***@walks.example.org/up, refused"),
    Case("proxy=http://u@p@10.0.0.1:3128", "proxy=http://***@10.0.0.1:3128"),
    Case(
      "moved to https://h.org/a?key=abc&x=1 and \"ftp://h/b#c\"",
      "moved to https://h.org/a?*** and \"ftp://h/b#***\""),
    Case("http://joe:pa,ssSECRETPW@proxy.example:3128/", "http://***@proxy.example:3128/"),
    Case("http://joe;x:SECRETPW2@h/", "http://***@h/"),
    Case("http://joe:a'b)c]d}e`f<g>h\"i?j#k/l@h/p next", "http://***@h/p next"),
    Case(
      "(https://s3.example/o(1).bin?X-Amz-Signature=SIGSECRET3),",
      "(https://s3.example/o(1).bin?***),"),
    Case("http://h/a,b?sig=SIGSECRET5&x=(1)&y='2' next", "http://h/a,b?***' next"),
    Case("http://a/,http://joe:pw@b/?x", "http://***@b/?***"),
    Case(
      #"{"url":"https://h/a?x","password":"my long phrase"}"#, #"{"url":"https://h/a?***"}"#),
    Case(#"token="http://h/?b" psk="long phrase" x"#, #"token="***" psk="***" x"#),
    Case(#"{"url":"http:\/\/joe:pw@h\/a?sig=x"}"#, #"{"url":"http:\/\/***@h\/a?***"}"#),
    Case("http://joe;token=ab@h/ next", "http://*** next"),
    // Names followed by values, in every notation.
    Case("password = my long phrase", "password = ***"),
    Case("; password = my long phrase", "; password = ***"),
    Case("PSK=\"a \\\" b\" ssid=home", "PSK=\"***\" ssid=home"),
    Case(
      #"{"refresh_token":"AMf-vB","user":"x","api_key" : "AIza"}"#,
      #"{"refresh_token":"***","user":"x","api_key" : "***"}"#),
    Case("x token=abc, board=left", "x token=***, board=left"),
    Case("Authorization: Bearer abc.def", "Authorization: ***"),
    Case("sent 'Bearer abc' and basic QWxh", "sent 'Bearer ***' and basic ***"),
    Case(
      "id eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln, next",
      "id *** next"),
    Case("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nnext", "***\nnext"),
    Case("before -----BEGIN X----- cut off", "before ***"),
    Case("http://[fe80::1]/a?sig=X#F, next", "http://[fe80::1]/a?***, next"),
    Case("at https://u:p@[::1]:8420/a?b]", "at https://***@[::1]:8420/a?***]"),
    Case(
      "run with --password CLIPW2 --token X --json", "run with --password *** --token *** --json"),
    Case("--token 'a b' --api-key=c d", "--token '***' --api-key=*** d"),
    Case("--password=my long phrase", "--password=***"),
    Case(
      "l: MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj end",
      "l: *** end"),
    // A fleet's token looks like a hash.
    Case(
      "sha e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "sha ***"),
    Case("with 9f86d081884c7d659a2feaa0c55ad015.", "with ***"),
    Case("with 9f86d081884c7d659a2feaa0c55ad015 there", "with *** there"),
    Case("key AKIAIOSFODNN7EXAMPLE, ghp_16C7e42F292c6912E7710c8", "key *** ***"),
    Case("Proxy-Authorization: Digest dXNlcg== x", "Proxy-Authorization: ***"),
    Case("x pin=744599, pwd: a, pass=b", "x pin=***, pwd: ***, pass=***"),
    // Wearers, fixed places and logins.
    Case("wearer = P07", "wearer = ***"),
    Case("gps = fixed:53.16,9.94,62", "gps = fixed:***"),
    Case("from fixed:53.16,9.94, always", "from fixed:***, always"),
    Case("login anna@example.org fails", "login ***@example.org fails"),
  ])
  func `secrets are removed from the report`(_ one: Case) {
    let concealed = Concealment().concealed(one.text)
    #expect(concealed == one.expected)
    #expect(Concealment().concealed(concealed) == concealed, "twice is as good as once")
  }

  @Test(arguments: [
    "sensor = acceleration@100:8", "--token-file /etc/footbridge/token", "token in /etc/fb/token",
    "token_file=/etc/fb/token", "LoadCredential=token:/etc/footbridge/token",
    #""tokenFile":"credential:token""#, "address = C8:4B:AA:97:50:05", "password:",
    "gps = /dev/gps0", "gps = gpsd://127.0.0.1:2947/dev/ttyUSB0", "http://127.0.0.1:8420/up",
    "token-file token", "a --token-file /relative.txt b", "--token", "--token --json",
    "session 01f3a2b4-5c6d-47e8-9fa0-b1c2d3e4f506", "1e5bea81", "the PIN is wrong", "passes",
    "/dev/ttyUSB0@9600", "the wearer of the boards", "unix:path=/tmp/bus,guid=1", "é=ü 漢字 = x", "",
  ])
  func `text that is not secret is kept`(_ text: String) {
    #expect(Concealment().concealed(text) == text)
  }

  @Test func `a known secret is removed wherever it occurs, and longer secrets are removed first`()
  {
    let concealment = Concealment(secrets: ["s3cret-one", "s3cret-one-two", "no"])
    #expect(
      concealment.concealed("no: s3cret-one-two/s3cret-ones3cret-one\ns3cret-on")
        == "no: ***/******\ns3cret-on")
  }

  @Test func `a known secret is removed however it is encoded`() {
    let concealment = Concealment(secrets: ["a/b c+\"d%e"])
    for text in [
      "a/b c+\"d%e", "a%2Fb%20c%2B%22d%25e", "a%2fb+c%2b%22d%25e", #"a\/b c+\"d%e"#,
    ] {
      #expect(concealment.concealed("x \(text) y") == "x *** y", "\(text)")
    }
    #expect(concealment.concealed("a%2Fb%20c%2B%22d%2") == "a%2Fb%20c%2B%22d%2")
  }

  @Test func `a known secret is removed even if JSON escapes any of its characters`() {
    let secret = "a\"ä@😀漢"
    let forms = secret.unicodeScalars.map { scalar -> [String] in
      let units = Array(String(scalar).utf16)
      let lower = units.map { "\\u" + String(0x10000 + Int($0), radix: 16).dropFirst() }.joined()
      let upper = units.map {
        "\\u" + String(0x10000 + Int($0), radix: 16, uppercase: true).dropFirst()
      }.joined()
      return [String(scalar), lower, upper]
    }
    let texts = forms.reduce([""]) { begun, form in
      begun.flatMap { start in form.map { start + $0 } }
    }
    #expect(texts.contains(#"a\u0022\u00e4@\uD83D\uDE00漢"#))
    let concealment = Concealment(secrets: [secret])
    for text in texts {
      #expect(concealment.concealed("x \(text) y") == "x *** y", "\(text)")
    }
    for other in [#"a\u0022\u00e4@\ud83d"#, #"a\u0022\u00e4@\ud83d\u"#, #"a\u0022\u00e"#, #"a\u"#] {
      #expect(concealment.concealed(other) == other)
    }
  }

  @Test func `every word in a login file or a key file is treated as a secret`() {
    let login = #"{"email":"anna@example.org","password":"hunter2-x","api_key":"AIzaSyB-1"}"#
    #expect(
      Set(KnownSecrets.texts(of: login)) == ["anna@example.org", "hunter2-x", "AIzaSyB-1"])
    let key = #"""
      {"type": "service_account", "project_id": "walks", "private_key_id": "5f3c0a",
       "private_key": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\nBgkqhkiG9w0B\n-----END PRIVATE KEY-----\n",
       "client_email": "up@walks.iam.gserviceaccount.com"}
      """#
    #expect(
      Set(KnownSecrets.texts(of: key)) == [
        "5f3c0a", "MIIEvQIBADAN", "BgkqhkiG9w0B", "up@walks.iam.gserviceaccount.com",
      ])
    #expect(KnownSecrets.texts(of: "the-token\n") == ["the-token"])
    let concealment = Concealment(secrets: KnownSecrets.texts(of: key))
    #expect(
      concealment.concealed("key 5f3c0a of walks\nMIIEvQIBADAN\n") == "key *** of walks\n***\n")
  }

  @Test func `no secret remains in randomly assembled text`() {
    let seed = UInt64.random(in: 0..<1 << 32)
    var numbers = SeededGenerator(seed: seed)
    let pieces = [
      "://", "@", "?", "=", ": ", "\"", "\\", "token", "Bearer ", "-----BEGIN", "-----END", "-----",
      "fixed:", "\n", " ", "eyJ", ".", "x1", "wearer", "é",
    ]
    for _ in 0..<2_000 {
      let text = (0..<Int.random(in: 0..<24, using: &numbers))
        .map { _ in pieces.randomElement(using: &numbers) ?? "" }.joined()
      let concealed = Concealment(secrets: ["hunter2-the-known"])
        .concealed(text + " hunter2-the-known \n password=\"hunter2\"")
      #expect(!concealed.contains("hunter2"), "seed \(seed): \(text)")
    }
  }
}
