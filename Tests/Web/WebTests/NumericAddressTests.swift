import TestSupport
import Testing
import Web

@Suite(.computation) struct NumericAddressTests {
  @Test(arguments: [
    ["::1", "0:0:0:0:0:0:0:1", "0000::0001"], ["10.0.0.7", "::ffff:10.0.0.7", "::ffff:a00:7"],
    ["fe80::1", "fe80::1%wlan0", "FE80:0:0:0:0:0:0:1"], ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
    ["::", "0:0:0:0:0:0:0:0"], ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
  ])
  func `different notations of the same address are considered equal`(_ forms: [String]) {
    let addresses = forms.map { NumericAddress($0) }
    #expect(Set(addresses).count == 1)
    #expect(!addresses.contains(nil))
  }

  @Test(arguments: [
    "", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.-4", "1.2.3.+4", "01.2.3.4", "1..3.4", "a",
    ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::",
    "g::", "1.2.3.4::", "::1.2.3", "::1.2.3.4:5", "+1::", "%eth0", "::1\u{0}", "１.2.3.4",
  ])
  func `text that is not a numeric address is rejected`(_ text: String) {
    #expect(NumericAddress(text) == nil)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.255.0.3", true), ("::1", true), ("::ffff:127.0.0.1", true),
    ("128.0.0.1", false), ("::2", false), ("::127.0.0.1", false), ("1::1", false),
  ])
  func `loopback addresses are recognised`(_ text: String, _ isLoopback: Bool) throws {
    #expect(try #require(NumericAddress(text)).isLoopback == isLoopback)
  }
}
