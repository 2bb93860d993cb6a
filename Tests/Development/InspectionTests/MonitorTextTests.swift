import TestSupport
import Testing

@testable import Inspection

/// The output of BlueZ 5.66's `btmon` for a capture that contains a subscription, module
/// information, and a packed packet in two fragments.
@Suite(.computation) struct MonitorTextTests {
  static let text = """
    Bluetooth monitor ver 5.66
    = New Index: 00:00:00:00:00:00 (Primary,USB,hci0)               [hci0] 0.000000
    > HCI Event: LE Meta Event (0x3e) plen 19                    #1 [hci0] 0.000000
          LE Connection Complete (0x01)
            Status: Success (0x00)
            Handle: 64
            Role: Central (0x00)
    < ACL Data TX: Handle 64 flags 0x00 dlen 9                   #2 [hci0] 0.007500
          ATT: Write Request (0x12) len 4
            Handle: 0x0014
              Data: 0100
    > ACL Data RX: Handle 64 flags 0x02 dlen 5                   #3 [hci0] 0.015000
          ATT: Write Response (0x13) len 0
    < ACL Data TX: Handle 64 flags 0x00 dlen 9                   #4 [hci0] 0.022500
          ATT: Write Command (0x52) len 4
            Handle: 0x0011
              Data: 0380
    > ACL Data RX: Handle 64 flags 0x02 dlen 11                  #5 [hci0] 0.030000
          ATT: Handle Value Notification (0x1b) len 6
            Handle: 0x0013
              Data: 03800400
    > ACL Data RX: Handle 64 flags 0x02 dlen 14                  #7 [hci0] 0.045000
    > ACL Data RX: Handle 64 flags 0x01 dlen 13                  #8 [hci0] 0.052500
          ATT: Handle Value Notification (0x1b) len 22
            Handle: 0x0013
              Data: 03050100feff00100100feff00100100feff0010

    """

  private func items(_ text: String) -> (items: [CaptureItem], passedOver: Int) {
    var reader = CaptureReader()
    let items = reader.read(Array(text.utf8)) + reader.finish()
    return (items, reader.passedOver)
  }

  private func packet(
    _ line: Int, _ direction: Direction, _ bytes: String, time: String, link: UInt32? = 64
  ) -> CaptureItem {
    .packet(
      CapturedPacket(
        place: .line(line), time: time, link: link, direction: direction, bytes: hex(bytes)))
  }

  @Test func `commands and notifications are found with their time, link and direction`() {
    let (items, passedOver) = items(Self.text)
    #expect(
      items == [
        packet(17, .toBoard, "0380", time: "0.022500"),
        packet(21, .fromBoard, "03800400", time: "0.030000"),
        packet(
          26, .fromBoard, "03050100feff00100100feff00100100feff0010", time: "0.052500"),
      ])
    // The write request that enables notifications.
    #expect(passedOver == 1)
  }

  @Test func `dates are kept, and a header shortened for a narrow terminal does not name the link`()
  {
    let (items, _) = items(
      """
      > ACL Data RX: Handl.. flags 0x01 dlen 13  #8 [hci0] 2025-11-21 11:38:32.052500
            ATT: Handle Value Notification (0x1b) len 6
              Handle: 0x0013
                Data: 03800400
      """)
    #expect(
      items == [
        packet(4, .fromBoard, "03800400", time: "2025-11-21 11:38:32.052500", link: nil)
      ])
  }

  @Test func `newer formats with a length and a UUID are parsed, and the UUID takes precedence`() {
    let (items, passedOver) = items(
      """
      < ACL Data TX: Handle 64 [1/6] flags 0x00 dlen 9             #2 [hci0] 0.1
            ATT: Write Command (0x52) len 4
              Handle: 0x0011 Type: Vendor specific (326a9001-85cb-9195-d9dd-464cfbbae75a)
                Data[2]: 0380
      < ACL Data TX: Handle 64 [1/6] flags 0x00 dlen 9             #3 [hci0] 0.2
            ATT: Write Command (0x52) len 4
              Handle: 0x0044 Type: Vendor specific (0000fff1-0000-1000-8000-00805f9b34fb)
                Data[2]: 0380
      """)
    #expect(items == [packet(4, .toBoard, "0380", time: "0.1")])
    #expect(passedOver == 1)
  }

  @Test func `values split over several lines of hexadecimal are joined`() {
    let (items, _) = items(
      """
      > ACL Data RX: Handle 64 flags 0x02 dlen 27                  #5 [hci0] 0.3
            ATT: Handle Value Notification (0x1b) len 22
              Handle: 0x0013
              03 05 01 00 fe ff 00 10 01 00 fe ff 00 10 01 00  ................
              fe ff 00 10                                      ....
      """)
    #expect(
      items == [
        packet(5, .fromBoard, "03050100feff00100100feff00100100feff0010", time: "0.3")
      ])
  }

  @Test func `a damaged value is reported, and the following lines are parsed`() throws {
    let (items, _) = items(Self.text.replacing("Data: 03800400", with: "Data: 0380zz00"))
    try #require(items.count == 3)
    #expect(items[1] == .unreadable(.line(21), reason: "'0380zz00' is not a hexadecimal number"))
  }

  @Test func `monitor output is still parsed if any one of its lines is missing`() {
    let lines = Self.text.split(separator: "\n", omittingEmptySubsequences: false)
    for missing in lines.indices {
      let rest = lines.enumerated().filter { $0.offset != missing }.map(\.element)
      #expect(items(rest.joined(separator: "\n")).items.count >= 2)
    }
  }
}
