import TestSupport
import Testing
import Web

@Suite(.computation) struct SecurityHeadersTests {
  @Test(arguments: SecurityHeaders.Content.allCases)
  func `every response forbids features that the page does not use`(
    _ content: SecurityHeaders.Content
  ) {
    let fields = SecurityHeaders.fields(for: content).map { "\($0.name): \($0.value)" }
    #expect(
      fields == [
        "Content-Security-Policy: default-src 'self'; img-src 'self' data: blob:; "
          + "style-src 'self'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
          + "form-action 'none'",
        "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
        "Cross-Origin-Resource-Policy: same-origin", "Cache-Control: \(content.caching)",
      ])
  }

  @Test
  func `API responses are not cached, the page is revalidated, and tiles are cached for a day`() {
    #expect(SecurityHeaders.Content.answer.caching == "no-store")
    #expect(SecurityHeaders.Content.page.caching == "no-cache")
    #expect(SecurityHeaders.Content.tile.caching == "private, max-age=86400")
  }

  @Test func `a role that may operate the gateway may also view the page`() {
    #expect(AccessRole.operate.covers(.look))
    #expect(AccessRole.look.covers(.look))
    #expect(!AccessRole.look.covers(.operate))
  }
}
