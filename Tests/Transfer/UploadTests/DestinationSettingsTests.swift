import TestSupport
import Testing
import Upload

@Suite(.computation) struct DestinationSettingsTests {
  private func back(_ settings: DestinationSettings) throws -> DestinationSettings {
    try DestinationSettings(placeText: settings.placeText, text: settings.text)
  }

  @Test func `settings read from the store equal the settings that were written`() throws {
    var http = DestinationSettings(.http(url: "https://example.org/walks"))
    #expect(try back(http) == http)
    #expect(http.text == #"{"format":1}"#)
    http.credentials = .token(file: "/etc/footbridge/token")
    http.authorityFile = "/etc/ssl/own.pem"
    http.certificateFile = "/etc/ssl/we \"us\".pem"
    http.certificateKeyFile = "/etc/ssl/we.key"
    http.proxy = "http://proxy:3128"
    http.compresses = true
    http.bytesPerSecond = 125_000
    http.parallel = 3
    http.newestFirst = true
    http.hours = UploadHours("20:00-06:00")
    #expect(try back(http) == http)
    for layout in DestinationSettings.FirestoreLayout.allCases {
      var store = DestinationSettings(
        .firestore(project: "walks-1", database: "(default)", layout: layout))
      store.credentials = .key(file: "/k.json")
      #expect(try back(store) == store)
      store.credentials = .login(file: "credential:login")
      #expect(try back(store) == store)
      let place = store.placeText
      store.account = "ada@example.org"
      #expect(try back(store) == store)
      // Another user's uploads belong to a different destination.
      #expect(store.placeText == place + " as ada@example.org")
    }
    let folder = DestinationSettings(.folder(path: "/media/my stick/walks"))
    #expect(try back(folder) == folder)
    #expect(folder.placeText == "folder /media/my stick/walks")
  }

  @Test func `settings added by later versions are ignored, and invalid settings are rejected`()
    throws
  {
    let more = try DestinationSettings(
      placeText: "folder /x", text: #"{"format":1,"colour":"red","parallel":2}"#)
    #expect(more.parallel == 2)
    for text in [
      "", "[]", #"{"format":2}"#, #"{"parallel":0}"#, #"{"parallel":"2"}"#, #"{"hours":"late"}"#,
      #"{"token_file":1}"#, #"{"compress":"yes"}"#,
    ] {
      #expect(throws: DestinationSettings.Malformed.self, "\(text)") {
        try DestinationSettings(placeText: "folder /x", text: text)
      }
    }
    for place in [
      "", "folder", "ftp x", "firestore p/d", "firestore p/d/nested", "firestore  ",
      "firestore p/d/compact as", "firestore p/d/compact for ada",
    ] {
      #expect(throws: DestinationSettings.Malformed.self, "\(place)") {
        try DestinationSettings(placeText: place, text: "{}")
      }
    }
  }

  @Test(arguments: [
    ("https://Example.ORG", "https://example.org"),
    ("HTTPS://example.org:443/Walks/", "https://example.org/Walks"),
    ("http://127.0.0.1:8420/", "http://127.0.0.1:8420"),
    ("http://[::1]:8420", "http://[::1]:8420"), ("http://lab:80", "http://lab"),
    ("http://[FE80::1%25eth0]:8420", "http://[fe80::1%25eth0]:8420"),
  ])
  func `different spellings of the same address are considered equal`(
    _ typed: String, _ text: String
  )
    throws
  {
    #expect(try EndpointAddress(typed).text == text)
    #expect(try EndpointAddress(text).text == text)
  }

  @Test func `addresses without TLS and this computer's addresses are recognised`() throws {
    #expect(try EndpointAddress("http://127.0.0.1:1").isPlain)
    #expect(try EndpointAddress("http://127.0.0.1:1").isLocal)
    #expect(try EndpointAddress("http://[::1]:1").isLocal)
    #expect(try !EndpointAddress("http://lab:1").isLocal)
    #expect(try !EndpointAddress("https://lab").isPlain)
  }

  @Test(arguments: [
    ("", EndpointAddress.Misfit.noAddress), ("example.org", .noAddress), ("https://", .noAddress),
    ("ftp://example.org", .noAddress), ("https://exa mple.org", .noAddress),
    ("https://example.org:0", .noAddress), ("https://example.org:99999", .noAddress),
    ("https://a:b:c", .noAddress), ("http://http://h", .noAddress), ("https://[::1", .noAddress),
    ("https://me@example.org", .hasSecret), ("https://me:secret@example.org/x", .hasSecret),
    ("https://example.org/?token=x", .hasQuery), ("https://example.org#x", .hasQuery),
  ])
  func `an address that cannot be used is rejected`(
    _ typed: String, _ misfit: EndpointAddress.Misfit
  ) {
    #expect(throws: misfit) { try EndpointAddress(typed) }
  }
}
