import TestSupport
import Testing
import Values
import Web

@Suite(.computation) struct AccessRefusalTests {
  private static let all: [(AccessRefusal, Int)] = [
    (.hostMissing, 400), (.foreignHost("evil.com"), 421), (.unknownMethod, 405),
    (.originMissing, 403), (.foreignOrigin("null"), 403), (.foreignSite, 403), (.notJSON, 415),
    (.notPaired, 401), (.onlyLooks, 403), (.wrongPIN(left: 3), 403), (.noPIN, 403),
    (.tooManyTries(seconds: 17), 429),
  ]

  @Test func `each refusal has a status and a message, and a remedy unless the method is unknown`()
  {
    for (refusal, status) in Self.all {
      #expect(refusal.status == status)
      #expect(!refusal.message.isEmpty)
      #expect(refusal.remedy.isEmpty == (refusal == .unknownMethod))
      #expect(refusal.retryAfter == (status == 429 ? 17 : nil))
    }
  }

  @Test func `a remedy contains the seconds to wait, the tries left, or the command for a new PIN`()
  {
    #expect(
      AccessRefusal.tooManyTries(seconds: 1).remedy == "wait for 1 second, then enter the PIN again"
    )
    #expect(
      AccessRefusal.wrongPIN(left: 0).remedy
        == "it is no longer valid; create another with: footbridge web pair")
    #expect(
      AccessRefusal.wrongPIN(left: 1).remedy
        == "check the PIN; it becomes invalid after 1 more wrong try")
  }

  @Test func `remedies on a page that is served by a command do not mention a gateway`() {
    for (refusal, _) in Self.all + [
      (.wrongPIN(left: 0), 403), (.triesUsedUp(byAll: true), 403),
    ] {
      let remedy = refusal.remedy(at: "footbridge receive")
      #expect(!remedy.contains("web pair") && !remedy.contains("gateway with"), "\(remedy)")
    }
    #expect(
      AccessRefusal.wrongPIN(left: 0).remedy(at: "footbridge receive")
        == "it is no longer valid; 'footbridge receive' shows the next PIN later, or at once if you "
        + "start it again")
    #expect(
      AccessRefusal.onlyLooks.remedy(at: "footbridge web")
        == "pair it again with a PIN from 'footbridge web --role operate'")
  }

  @Test func `text that a client sent is shown truncated and without control characters`() {
    let host = "\u{1b}[2J" + String(repeating: "x", count: 10_000)
    let message = AccessRefusal.foreignHost(host).message
    #expect(!message.contains("\u{1b}"))
    #expect(message.count < 120)
  }
}
