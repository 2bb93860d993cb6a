import LinuxSystem
import TestSupport
import Testing

@Suite(.computation) struct LocalAddressesTests {
  @Test func `the loopback address is listed, and all addresses are numeric`() {
    let addresses = LocalAddresses.all()
    #expect(addresses.contains("127.0.0.1"))
    for address in addresses {
      let bare = address.prefix { $0 != "%" }
      #expect(bare.allSatisfy { $0.isHexDigit || $0 == "." || $0 == ":" }, "\(address)")
    }
  }
}
