import BoardDriver
import Foundation
import Gateway
import LinuxSystem
import Sharing
import Positioning
import TestSupport
import Testing
import Upload
import Values

@testable import CommandLineTool
@testable import Terminal

/// The values parsed from a configuration file, and the list of all its faults.
@Suite(.computation) struct ConfigurationReadingTests {
  private static let whole = """
    ; Trolley of the clinic
    [gateway]
    name = trolley
    adapter = 00:1A:7D:DA:71:0A
    adapter = 00:1a:7d:da:71:0b

    [board left]
    address = C8:4B:AA:97:50:05
    placement = left ankle ; over the sock
    [board Knöchel rechts]
    address = C8:4B:AA:98:51:08

    [sensors]
    sensor = acceleration@100:16
    interval = 15
    [receiver]
    gps = gpsd
    [recording]
    when = hours
    hours = 07:00-19:00
    seal = 2.5
    at-risk = 3
    session-hours = 12
    note = second week; rainy
    wearer = P07
    hazard = Slip=2
    hazard = Low branch=1
    [store]
    path = /srv/walks.sqlite
    [upload]
    destination = home
    destination = clinic
    when = not-recording
    [sharing]
    live-location = study
    broker = mqtts://trolley@b1.example.org,b2.example.org:8884
    fleet = study
    password-file = /etc/footbridge/broker
    ca-file = /etc/footbridge/ca.pem
    share = rounded
    when = hours
    hours = 08:00-18:00
    least-distance = 25
    least-interval = 10
    expires = 120
    [status]
    socket =
    prometheus = 127.0.0.1:9105
    """

  private func reading(_ text: String) -> ConfigurationReading {
    ConfigurationReading(Array(text.utf8), file: "f.conf")
  }

  @Test func `a configuration file's values are parsed, and the parser records their lines`()
    throws
  {
    let reading = reading(Self.whole)
    #expect(reading.faults == [] && reading.hints == [])
    var expected = GatewayConfiguration()
    expected.recording.gateway = "trolley"
    expected.recording.adapters = [0x001a_7dda_710a, 0x001a_7dda_710b].map {
      BoardAddress(value: $0)
    }
    var left = ConfiguredBoard()
    left.name = "left"
    left.address = BoardAddress(value: 0xc84b_aa97_5005)
    left.placement = "left ankle"
    var right = ConfiguredBoard()
    right.name = "Knöchel rechts"
    right.address = BoardAddress(value: 0xc84b_aa98_5108)
    expected.boards = [left, right]
    expected.recording.sensors = [SensorRequest(signal: "acceleration", rate: 100, range: 16)]
    expected.recording.pace = .shared
    expected.recording.receiver = .gpsd(.init())
    expected.rule.time = .hours
    expected.rule.hours = UploadHours("07:00-19:00")
    expected.recording.sealMinutes = 2.5
    expected.recording.atRiskSeconds = 3
    expected.sessionSeconds = 43_200
    expected.recording.note = "second week; rainy"
    expected.recording.wearer = "P07"
    expected.recording.hazards = try [
      #require(HazardRequest("Slippery=2")), #require(HazardRequest("Low branch=1")),
    ]
    expected.store = "/srv/walks.sqlite"
    expected.destinations = ["home", "clinic"]
    expected.uploads = .notRecording
    expected.liveLocation = "study"
    expected.sharing.broker = BrokerAddress("mqtts://trolley@b1.example.org,b2.example.org:8884")
    expected.sharing.fleet = "study"
    expected.sharing.passwordFile = "/etc/footbridge/broker"
    expected.sharing.authorityFile = "/etc/footbridge/ca.pem"
    expected.sharing.share = .rounded
    expected.sharing.time = .hours
    expected.sharing.hours = UploadHours("08:00-18:00")
    expected.sharing.distance = 25
    expected.sharing.interval = 10
    expected.sharing.validity = 120
    expected.statusSocket = nil
    expected.prometheus = ListenAddress(host: "127.0.0.1", port: 9105)
    #expect(reading.configuration == expected)
    #expect(reading.source(of: .init(section: .gateway, key: "adapter")) == .file(lines: [4, 5]))
    #expect(
      reading.source(of: .init(section: .board, name: "left", key: "placement"))
        == .file(lines: [9]))
    #expect(reading.source(of: .init(section: .recording, key: "seal")) != .standard)
    #expect(
      ConfigurationReading([], file: "f").source(of: .init(section: .recording, key: "seal"))
        == .standard)
  }

  @Test func `a configuration file may have Windows line endings and a byte order mark`() {
    let windows = Self.whole.split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\r\n")
    let reading = ConfigurationReading([0xef, 0xbb, 0xbf] + windows.utf8, file: "f.conf")
    #expect(reading == self.reading(Self.whole))
  }

  @Test func `with an empty configuration file, all defaults apply`() {
    for text in ["", "\n", "; nothing\n", "[sensors]\n[recording]"] {
      let reading = reading(text)
      #expect(reading.faults == [] && reading.configuration == GatewayConfiguration())
      #expect(reading.hints.map(\.message) == ["no boards are configured, so nothing is recorded"])
    }
  }

  @Test func `an unreadable, binary or oversized configuration file is reported as a fault`() throws
  {
    let folder = try TemporaryFolder()
    func faults(_ name: String) -> [String] {
      ConfigurationReading(folder.path + name).faults.map(\.description)
    }
    func put(_ name: String, _ bytes: [UInt8]) throws {
      let file = try DurableFile(folder.path + name)
      try file.write(bytes.span)
      try file.commit(replaces: true)
    }
    #expect(
      faults("/none") == [
        """
        \(folder.path)/none: the file does not exist
               specify another file with --config FILE, or create it with: footbridge config example > \(folder.path)/none
        """
      ])
    #expect(
      faults("") == [
        """
        \(folder.path): it is not a file
               give the path of a text file
        """
      ])
    // Nothing writes to the pipe, so opening it would block forever.
    try #require(unsafe mkfifo(folder.path + "/pipe", 0o600) == 0)
    #expect(faults("/pipe").first?.hasPrefix("\(folder.path)/pipe: it is not a file\n") == true)
    try put("/zeros", [0, 0, 0])
    #expect(
      faults("/zeros").first?.hasPrefix("\(folder.path)/zeros:1: the file contains a zero byte")
        == true)
    try put("/latin", Array("[gateway]\nname = M".utf8) + [0xfc] + Array("ller\n".utf8))
    #expect(
      faults("/latin") == [
        """
        \(folder.path)/latin:2: the line is not UTF-8 text
               save the file as UTF-8 text
        """
      ])
    // A sparse file of a hundred megabytes that uses no disk space.
    try put("/big", [])
    try #require(unsafe truncate(folder.path + "/big", 100_000_000) == 0)
    #expect(
      faults("/big") == [
        """
        \(folder.path)/big: the file is larger than 64 KiB
               configuration files are smaller: check that this is the right file
        """
      ])
    try put("/secret", Array("[gateway]\n".utf8))
    try #require(unsafe chmod(folder.path + "/secret", 0) == 0)
    if getuid() != 0 {
      #expect(
        faults("/secret") == [
          """
          \(folder.path)/secret: cannot be read: Permission denied
                 check that this user may read it
          """
        ])
    }
  }

  @Test
  func `a configuration file is parsed in the same way as its text; one error lists all faults`()
    throws
  {
    let folder = try TemporaryFolder()
    let file = try ConfigurationFile(folder.path + "/f.conf")
    try file.write(Array(Self.whole.utf8))
    #expect(ConfigurationReading(file.path).configuration == reading(Self.whole).configuration)
    let bad = folder.path + "/bad.conf"
    let written = try DurableFile(bad)
    let bytes = Array("[store]\npth = /x\n[upload]\nwhen = x\n".utf8)
    try written.write(bytes.span)
    try written.commit(replaces: false)
    let faults = try #require(ConfigurationFaults(ConfigurationReading(bad).faults))
    #expect(faults.faults.map(\.line) == [2, 4])
    #expect(
      Complaint(explaining: faults).description == """
        error: cannot use the configuration \(bad): 2 faults
               \(bad):2: unknown key 'pth' in [store]
                      did you mean 'path'?
               \(bad):4: 'when' cannot be 'x'
                      choose one of always, never, not-recording
        """)
  }

  @Test
  func `random or edited configuration text has faults on existing lines, or reads back unchanged`()
  {
    let seed =
      ProcessInfo.processInfo.environment["FOOTBRIDGE_SEED"].flatMap { UInt64($0) }
      ?? .random(in: 0..<1_000_000)
    print("configurations: FOOTBRIDGE_SEED=\(seed)")
    var generator = SeededGenerator(seed: seed)
    let whole = Array(Self.whole.utf8)
    let pieces = ["[", "]", "=", ";", " ;", "\n", "\r\n", " ", "\0", "é", "\u{202e}", "[board x]"]
      .map { Array($0.utf8) }
    for round in 0..<400 {
      var bytes: [UInt8]
      if round % 4 == 0 {
        bytes = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
          UInt8.random(in: 1...255, using: &generator)
        }
      } else {
        bytes = whole
        for _ in 0...Int.random(in: 0...3, using: &generator) {
          let place = Int.random(in: 0...bytes.count, using: &generator)
          switch Int.random(in: 0...3, using: &generator) {
          case 0: bytes.removeSubrange(place..<min(bytes.count, place + 5))
          case 1: bytes.insert(contentsOf: pieces.randomElement(using: &generator) ?? [], at: place)
          case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
          default: bytes.removeSubrange(place...)
          }
        }
      }
      let reading = ConfigurationReading(bytes, file: "f.conf")
      let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
      #expect(
        reading.faults.allSatisfy { (1...lines).contains($0.line ?? 1) }, "seed \(seed) \(round)")
      #expect(
        reading.faults.allSatisfy { !$0.description.contains("\u{202e}") }, "seed \(seed) \(round)")
      guard reading.faults.isEmpty else { continue }
      // The values contain everything from a valid file. A file written from them is read back with
      // the same values.
      let again = ConfigurationReading(Array(Self.text(reading.configuration).utf8), file: "f.conf")
      #expect(again.faults == [], "seed \(seed) \(round)")
      #expect(again.configuration == reading.configuration, "seed \(seed) \(round)")
    }
  }

  /// Returns the text of a file with these values.
  private static func text(_ configuration: GatewayConfiguration) -> String {
    func lines<Owner>(_ key: ConfigurationKey<Owner>, _ owner: Owner) -> [String] {
      let values = key.values(owner)
      // A key with a default has no value only if the file explicitly disables it.
      return values.isEmpty && !key.description.defaults.isEmpty
        ? [key.description.line("")] : values.map(key.description.line)
    }
    var text: [String] = []
    for section in ConfigurationSection.allCases where !section.isNamed {
      text.append(section.heading)
      text += GatewayConfiguration.keys.filter { $0.description.section == section }
        .flatMap { lines($0, configuration) }
    }
    for board in configuration.boards {
      text.append("[board \(board.name)]")
      text += ConfiguredBoard.keys.flatMap { lines($0, board) }
    }
    return text.joined(separator: "\n")
  }
}
