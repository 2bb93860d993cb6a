import CommandLineTool
import Foundation
import Terminal
import TestSupport
import Testing
import Values

@Suite(.computation) struct ScanTableTests {
  private static let now = BootTime(nanoseconds: 100_000_000_000)
  private let sightings = [
    Sighting(
      address: BoardAddress(value: 0x0011_2233_4455), kind: .other, name: "Speaker", rssi: -80,
      heard: BootTime(nanoseconds: 99_900_000_000)),
    Sighting(
      address: BoardAddress(value: 0xc84b_aa97_5005), kind: .board, name: "left wrist",
      isKnown: true, model: "MetaMotion S", rssi: -53, battery: 87,
      heard: BootTime(nanoseconds: 99_600_000_000)),
    Sighting(
      address: BoardAddress(value: 0xc84b_aa98_5108), kind: .bootloader, name: "MetaBoot",
      rssi: -95, heard: BootTime(nanoseconds: 88_000_000_000)),
    Sighting(
      address: BoardAddress(value: 0xc84b_aa99_520b), kind: .board, name: "\u{1b}[2J",
      isConnected: true),
  ]

  @Test func `a scan's table lists boards first, with all known details`() {
    #expect(
      ScanTable(sightings, now: Self.now).lines == [
        "address            name        model         signal           battery       heard",
        "C8:4B:AA:97:50:05  left wrist  MetaMotion S  [████▏] -53 dBm     87 %   0.4 s ago",
        "C8:4B:AA:98:51:08  MetaBoot    in MetaBoot   [     ] -95 dBm        –    12 s ago",
        "C8:4B:AA:99:52:0B  [2J         –             –                      –   connected",
        "00:11:22:33:44:55  Speaker     –             [█▌   ] -80 dBm        –   0.1 s ago",
      ])
  }

  @Test
  func `a scan truncates long names on a standard terminal, so that the last column stays visible`()
    throws
  {
    var named = sightings
    named[0].name = "Conference room loudspeaker"
    let lines = ScanTable(named, now: Self.now).view(elapsed: 3, width: 80)
    try #require(lines.count == 7)
    #expect(lines.dropFirst(3).allSatisfy { $0.hasSuffix(" s ago") || $0.hasSuffix("connected") })
    #expect(lines[6].contains("  Conferen…  "))
  }

  @Test func `a scan's live view shows its duration and device count, within the terminal's width`()
  {
    let table = ScanTable(sightings, now: Self.now)
    let lines = table.view(elapsed: 75, width: 60)
    #expect(lines[0] == "scanning  1:15  3 boards  1 other device")
    #expect(lines.count == 7)
    #expect(lines.allSatisfy { TerminalText.width(of: $0) <= 60 })
    #expect(
      ScanTable([], now: Self.now).view(elapsed: 0, width: 80)
        == ["scanning  0:00  0 boards  0 other devices"])
  }

  @Test func `in JSON output, every device has the same keys`() throws {
    let text = ScanTable(sightings, now: Self.now).json.text
    #expect(
      text.hasPrefix(
        #"[{"address":"C8:4B:AA:97:50:05","name":"left wrist","board":true,"inMetaBoot":false,"#
          + #""known":true,"model":"MetaMotion S","rssi":-53,"battery":87,"ageSeconds":0.4,"#
          + #""connected":false},"#))
    let list = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    #expect(list.count == 4)
    #expect(Set(list.map { Set($0.keys) }).count == 1)
    #expect(list.map { $0["board"] as? Bool } == [true, true, true, false])
    #expect(list.map { $0["inMetaBoot"] as? Bool } == [false, true, false, false])
    #expect(ScanTable([], now: Self.now).json.text == "[]")
  }
}
