import TestSupport
import Testing
import Web

@Suite(.computation) struct SessionCookieTests {
  private static let token: DeviceToken = DeviceToken()

  @Test
  func `the cookie is HttpOnly and SameSite=Strict, and is Secure on an encrypted connection`() {
    let value = Self.token.revealed
    #expect(
      SessionCookie.setting(Self.token, isEncrypted: false)
        == "footbridge=\(value); HttpOnly; SameSite=Strict; Path=/; Max-Age=34560000")
    #expect(
      SessionCookie.setting(Self.token, isEncrypted: true)
        == "footbridge=\(value); HttpOnly; SameSite=Strict; Path=/; Max-Age=34560000; Secure")
    #expect(
      SessionCookie.clearing(isEncrypted: false)
        == "footbridge=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0")
  }

  struct Case: CustomTestStringConvertible {
    /// The request's `Cookie` fields, with `T` in place of the token.
    var fields: [String]
    var count: Int
    var testDescription: String { fields.joined(separator: " | ") }
  }

  @Test(arguments: [
    Case(fields: ["footbridge=T"], count: 1),
    Case(fields: ["a=b; footbridge=T; c=d"], count: 1),
    Case(fields: ["a=b;footbridge=\"T\" ;c"], count: 1),
    Case(fields: ["a=b", "footbridge=T"], count: 1),
    // A server on another port of this computer may have set a cookie with the same name.
    Case(fields: ["footbridge=short; footbridge=T; footbridge=T"], count: 2),
    Case(fields: [String(repeating: "footbridge=T;", count: 1_000)], count: 8),
    Case(fields: [], count: 0), Case(fields: [""], count: 0),
    Case(fields: ["footbridge"], count: 0),
    Case(fields: ["footbridge=\""], count: 0), Case(fields: ["Footbridge=T"], count: 0),
    Case(fields: ["xfootbridge=T"], count: 0), Case(fields: ["footbridge =T"], count: 0),
    Case(fields: ["footbridge=T T"], count: 0), Case(fields: ["a=footbridge=T"], count: 0),
    Case(fields: ["footbridge=\u{301}T"], count: 0),
  ])
  func `tokens are found among other cookies`(_ one: Case) {
    let fields = one.fields.map { field in
      field.split(separator: "T", omittingEmptySubsequences: false)
        .joined(separator: Self.token.revealed)
    }
    let tokens = SessionCookie.tokens(in: fields)
    #expect(tokens.map(\.mark) == Array(repeating: Self.token.mark, count: one.count))
  }
}
