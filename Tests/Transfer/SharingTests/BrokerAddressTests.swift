import TestSupport
import Testing

@testable import Sharing

@Suite(.computation) struct BrokerAddressTests {
  @Test
  func `a broker address is parsed into hosts, ports and a user, and is shown without a password`()
    throws
  {
    let one = try #require(BrokerAddress("mqtt://broker.example.org"))
    #expect(one.hosts == [.init(name: "broker.example.org", port: 1_883)])
    #expect(!one.isEncrypted && one.user == nil && !one.namesPassword)
    let three = try #require(BrokerAddress("mqtts://trolley@b1,b2:99,[::1]:8884/"))
    #expect(three.hosts.map(\.port) == [8_883, 99, 8_884])
    #expect(three.hosts.map(\.name) == ["b1", "b2", "::1"])
    #expect(three.user == "trolley" && three.isEncrypted)
    #expect(three.description == "mqtts://trolley@b1:8883,b2:99,[::1]:8884")
    let told = try #require(BrokerAddress("MQTT://a:se@cret@h"))
    #expect(told.namesPassword && told.user == "a" && told.description == "mqtt://a@h:1883")
  }

  @Test(arguments: [
    "", "mqtt://", "http://h", "mqtt:/h", "mqtt://h,", "mqtt://h:0", "mqtt://h:70000",
    "mqtt://@h", "mqtt://h/path", "mqtt://h h", "mqtt://[::1", "mqtt://[::1]1883", "mqtt://h\n",
  ])
  func `an invalid broker address is rejected`(_ text: String) {
    #expect(BrokerAddress(text) == nil)
  }
}
