import LinuxSystem
import TestSupport
import Testing
import Values

@testable import Web

@Suite(.computation) struct DeviceListTests {
  private static func device(
    _ name: String = "phone", at time: UTCTime? = nil
  ) -> PairedDevice {
    PairedDevice(DeviceToken().mark, name: name, role: .look, at: time)
  }

  private static func time(_ seconds: Int64) -> UTCTime {
    UTCTime(nanoseconds: 1_777_000_000_000_000_000 + seconds * 1_000_000_000)
  }

  @Test func `the 65th device replaces the device that was seen least recently`() throws {
    var list = DeviceList()
    let all = (1...65).map { _ in Self.device() }
    for device in all.dropLast() { list.add(device) }
    list.saw(all[0].mark, at: nil)
    let gone = list.add(all[64])
    #expect(gone == all[1])
    #expect(list.devices.count == 64)
    #expect(list[all[0].mark] != nil)
  }

  @Test func `the time of the last contact with a device is written at most once an hour`() {
    var list = DeviceList()
    let device = Self.device()
    list.add(device)
    // At the last of these times, the stored contact is in the future, because the clock was
    // corrected.
    let times = [0, 3_599, 3_599 + 3_600, -90_000].map(Self.time)
    #expect(times.map { list.saw(device.mark, at: $0) } == [true, false, true, true])
    #expect(list[device.mark]?.seen == Self.time(-90_000))
    let unknown = list.saw(device.mark, at: nil)
    let foreign = list.saw(Self.device().mark, at: Self.time(0))
    #expect(!unknown && !foreign)
    #expect(list[device.mark]?.seen == Self.time(-90_000))
  }

  @Test func `a device is removed by its id, or by its name if no id matches`() {
    var list = DeviceList()
    let (first, second) = (Self.device("phone"), Self.device("phone"))
    list.add(first)
    list.add(second)
    list.add(Self.device(second.id))
    let gone = [second.id, "phone", "phone"].map { list.forget($0) }
    #expect(gone == [[second], [first], []])
    #expect(list.devices.count == 1)
  }

  @Test func `a device list that is read from its file equals the list that was written`() throws {
    var list = DeviceList()
    list.add(Self.device("Anna's \"phone\"", at: Self.time(5)))
    list.add(Self.device("Jürgen"))
    #expect(try DeviceList(parsing: Array(list.text.utf8)) == list)
    #expect(try DeviceList(parsing: Array(DeviceList().text.utf8)) == DeviceList())
    #expect(list.text.contains("\"seen\":null"))
  }

  @Test func `a file of paired devices that is truncated anywhere is rejected`() {
    var list = DeviceList()
    list.add(Self.device(at: Self.time(5)))
    let bytes = Array(list.text.utf8)
    // Without its final line feed, the file is still complete.
    for count in 0..<bytes.count - 1 {
      #expect(throws: DeviceFileFault.self) { try DeviceList(parsing: Array(bytes[..<count])) }
    }
  }

  struct WrongFile: CustomTestStringConvertible {
    var testDescription: String
    var text: String
  }

  private static let mark = String(repeating: "ab", count: 32)

  @Test(arguments: [
    WrongFile(testDescription: "another JSON", text: "[]"),
    WrongFile(testDescription: "no devices", text: #"{"version":1}"#),
    WrongFile(testDescription: "an invalid device", text: #"{"version":1,"devices":[7]}"#),
    WrongFile(
      testDescription: "a short token",
      text: #"{"version":1,"devices":[{"token":"abab","name":"a","role":"look"}]}"#),
    WrongFile(
      testDescription: "an unknown role",
      text: #"{"version":1,"devices":[{"token":"\#(mark)","name":"a","role":"root"}]}"#),
    WrongFile(
      testDescription: "an invalid time",
      text:
        #"{"version":1,"devices":[{"token":"\#(mark)","name":"a","role":"look","seen":"now"}]}"#),
    WrongFile(
      testDescription: "a repeated device",
      text: #"{"version":1,"devices":["#
        + [1, 2].map { #"{"token":"\#(mark)","name":"\#($0)","role":"look"}"# }
        .joined(separator: ",") + "]}"),
    WrongFile(
      testDescription: "too many",
      text: #"{"version":1,"devices":["#
        + (0..<65).map { #"{"token":"\#(mark.dropLast(2))\#($0 + 10)","name":"a","role":"look"}"# }
        .joined(separator: ",") + "]}"),
    WrongFile(testDescription: "nested", text: String(repeating: "[", count: 60_000)),
  ])
  func `an invalid file of paired devices is rejected as damaged`(_ file: WrongFile) {
    do throws(DeviceFileFault) {
      let list = try DeviceList(parsing: Array(file.text.utf8))
      Issue.record("read as \(list.devices.count) devices")
    } catch {
      guard case .damaged = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test func `a file of paired devices from a later version is not considered damaged`() {
    #expect(throws: DeviceFileFault.newer) {
      try DeviceList(parsing: Array(#"{"version":2,"people":{}}"#.utf8))
    }
  }

  struct Name: CustomTestStringConvertible {
    var given: String
    var shown: String
    var testDescription: String { shown }
  }

  @Test(arguments: [
    Name(given: "my phone", shown: "my phone"),
    Name(given: "  Jürgens\t\nHandy ", shown: "Jürgens Handy"),
    Name(given: "", shown: "a browser"),
    Name(given: "\u{200b}\u{202e}", shown: "a browser"),
    Name(given: "\u{1b}[2Jgone\u{7}", shown: "[2Jgone"),
    Name(given: "abc\u{202e}def", shown: "abcdef"),
    Name(given: "\u{e000}\u{10ffff}x", shown: "x"),
    Name(given: String(repeating: "x", count: 100_000), shown: String(repeating: "x", count: 40)),
    Name(
      given: "e" + String(repeating: "\u{301}", count: 100_000), shown: "a browser"),
  ])
  func `a device name is one short line without control characters`(_ name: Name) {
    #expect(Self.device(name.given).name == name.shown)
  }
}
