import BoardDriver
@testable import CommandLineTool
@testable import Terminal
import Foundation
import MetaWearProtocol
import Storage
import TestSupport
import Testing
import Values

@Suite(.computation) struct PairReportTests {
  private func report(battery: Int?, rssi: Int?) throws -> PairReport {
    let modules = try #require(ModuleTable.preset(for: .metaMotionS))
    return PairReport(
      board: StoredBoard(
        address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", placement: "left wrist",
        model: "MetaMotion S", firmware: "1.7.2", added: UTCTime(nanoseconds: 0)),
      found: PairReport.Found(
        profile: BoardProfile(model: .metaMotionS, firmware: "1.7.2", modules: modules),
        battery: battery, rssi: rssi, isBonded: true))
  }

  @Test func `a board's chips are listed, and no line is wider than 80 columns`() throws {
    let lines = try report(battery: 87, rssi: -70).lines()
    #expect(
      lines.prefix(9) == [
        "name       left", "address    C8:4B:AA:97:50:05", "placement  left wrist",
        "model      MetaMotion S", "firmware   1.7.2", "battery    87 %",
        "signal     [██▌  ] -70 dBm", "bonded     yes", "modules    accelerometer (BMI270)",
      ])
    #expect(lines.contains { $0.hasPrefix("           switch, LED, temperature,") })
    #expect(lines.last == "The board is now known as 'left'.")
    #expect(lines.allSatisfy { TerminalText.width(of: $0) <= 80 })
  }

  @Test func `an unknown value is shown as a dash or omitted, and is null in JSON`() throws {
    let report = try report(battery: nil, rssi: nil)
    #expect(report.lines().contains("battery    –"))
    #expect(!report.lines().contains { $0.hasPrefix("signal") })
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(report.json.text.utf8)) as? [String: Any])
    #expect(object["battery"] is NSNull)
    #expect(object["rssi"] is NSNull)
    #expect(object["bonded"] as? Bool == true)
    let modules = try #require(object["modules"] as? [[String: Any]])
    #expect(modules.contains { $0["name"] as? String == "gyroscope" && $0["chip"] is String })
  }
}
