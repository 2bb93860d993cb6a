import Foundation
import HTTPServer
import LinuxSystem
import TestSupport
import Testing
import Values
import Web

/// Rare cases in which the page refuses a request or pairs no device, with their messages and
/// remedies.
@Suite(.realTime) struct PageMessageTests {
  struct Page: Sendable, CustomTestStringConvertible {
    let kind: PageKind
    let isLive: Bool
    let status: Int
    let message: String
    let remedy: String

    var testDescription: String { message }
  }

  @Test(arguments: [
    Page(
      kind: .gateway, isLive: true, status: 404, message: "this is not a fleet page",
      remedy: "open the page that 'footbridge-fleet receive' serves"),
    Page(
      kind: .fleet, isLive: false, status: 404,
      message: "this upload server does not follow the gateways",
      remedy: "add '--live' with a broker to 'footbridge-fleet receive'"),
    // This content has no free slot for another reader.
    Page(
      kind: .fleet, isLive: true, status: 503, message: "too many pages are open",
      remedy: "close the page on another phone"),
  ])
  func `a page that cannot show a live fleet reports the reason`(_ page: Page) throws {
    let world = try PageWorld(ScriptedContent(page.kind, isLive: page.isLive))
    let answer = try world.ask("GET", "/api/v1/live", cookie: world.paired(.look))
    #expect(answer?.status == page.status)
    #expect(
      answer?.text.hasPrefix(#"{"error":"\#(page.message)","remedy":"\#(page.remedy)""#) ?? false,
      "\(answer?.text ?? "")")
  }

  @Test func `only one doctor runs at a time`() async throws {
    let (hasBegun, mayEnd) = (Guarded(false), Guarded(false))
    let world = try PageWorld(
      ScriptedContent {
        hasBegun.withLock { $0 = true }
        while !mayEnd.withLock({ $0 }) { try? await Pause.seconds(0.01) }
      })
    let cookie = try world.paired(.look)
    let first = try RawConnection(port: world.port)
    first.send(
      "GET /api/v1/doctor HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\nCookie: \(cookie)\r\n\r\n")
    try await wait(for: "the first doctor") { hasBegun.withLock { $0 } }
    let second = try world.ask("GET", "/api/v1/doctor", cookie: cookie)
    mayEnd.withLock { $0 = true }
    #expect(second?.status == 503)
    #expect(
      second?.text.contains(
        #""error":"the doctor is already running","remedy":"try again in five seconds""#) ?? false,
      "\(second?.text ?? "")")
    #expect(first.answer()?.text == #"{"findings":[]}"#)
    #expect(try world.ask("GET", "/api/v1/doctor", cookie: cookie)?.status == 200)
  }

  @Test(arguments: [
    (ServerRefusal.busy, 503, "too many requests"),
    (.headTooLarge, 431, "the request head is too long"),
    (.ambiguous("two lengths"), 400, "two lengths"), (.stopping, 503, "the gateway is stopping"),
  ])
  func `the response to a request that the server itself refuses contains a reason`(
    _ refusal: ServerRefusal, _ status: Int, _ message: String
  ) throws {
    let world = try PageWorld()
    let response = world.handler.refusal(for: refusal)
    let text = String(decoding: response.body, as: UTF8.self)
    #expect(response.status == status)
    #expect(text.hasPrefix(#"{"error":"\#(message)""#), "\(text)")
  }

  @Test
  func `a device list from a later version, or a folder in its place, is reported with a remedy`()
    throws
  {
    let folder = try TemporaryFolder()
    let later = PairedDevices(DeviceFile(besides: folder.path + "/later"))
    try Data(#"{"version":2,"people":{}}"#.utf8).write(to: URL(filePath: later.file.path))
    let path = later.file.path
    let fault = try #require(later.fault)
    #expect(
      fault.message(path)
        == "a later version of footbridge wrote \(path), so no browser is paired")
    #expect(
      fault.remedy(path) == "use that version, or delete the file and pair the browsers again")
    let other = PairedDevices(DeviceFile(besides: folder.path + "/other"))
    try Folder.make(other.file.path)
    let failure = try #require(other.fault)
    #expect(failure.message(other.file.path).contains(other.file.path))
    #expect(
      failure.remedy(other.file.path)
        == "check that the gateway's user may write \(other.file.path)")
    #expect(later.list.isEmpty && other.list.isEmpty)
  }
}
