@testable import Gateway
import TestSupport
import Testing
import Values

@Suite(.computation) struct GatewayIdentityTests {
  @Test func `a gateway's id is derived from the machine id, but differs from it`() throws {
    let machine = try #require(UniqueID("0123456789abcdef0123456789abcdef"))
    let id = GatewayIdentity.id(of: machine)
    #expect(id == GatewayIdentity.id(of: machine))
    #expect(id != machine)
    #expect(id != GatewayIdentity.id(of: UniqueID(high: machine.high, low: machine.low ^ 1)))
    // The version and variant bits of a custom UUID (version 8).
    #expect(id.high >> 12 & 0xf == 8)
    #expect(id.low >> 62 == 2)
  }
}
