@testable import CommandLineTool
@testable import Terminal
import BlueZ
import TestSupport
import Testing
import Values

/// Radio switches, link settings, clocks, the power supply and memory cards. Some tests check the
/// findings for given facts. Others check the facts read from file trees.
@Suite(.computation) struct HardwareRuleTests {
  @Test func `a blocked radio is reported together with the cause of the block`() throws {
    let files = try TestTree([
      "/sys/class/rfkill/rfkill0/type": "wlan", "/sys/class/rfkill/rfkill0/soft": "1",
      "/sys/class/rfkill/rfkill1/type": "bluetooth", "/sys/class/rfkill/rfkill1/name": "hci0",
      "/sys/class/rfkill/rfkill1/soft": "0", "/sys/class/rfkill/rfkill1/hard": "0",
    ])
    func lines() -> [String] { RadioSwitch.findings(RadioSwitch.all(files.tree)).map(\.line) }
    #expect(lines() == ["ok rfkill: nothing blocks the Bluetooth radio"])
    try files.file("/sys/class/rfkill/rfkill1/soft", "1")
    #expect(
      lines() == [
        "fault rfkill: the radio of hci0 is blocked by software -> unblock it with "
          + "'rfkill unblock bluetooth'"
      ])
    try files.file("/sys/class/rfkill/rfkill1/hard", "1")
    #expect(
      lines() == [
        "fault rfkill: a hardware switch blocks the radio of hci0 -> use the computer's wireless "
          + "switch or key, or turn off flight mode"
      ])
    #expect(RadioSwitch.findings([]).map(\.level) == [.ok])
  }

  @Test(arguments: [
    (UInt64(0), "only boards can request connection intervals, which is nearly always enough"),
    (1 << 13, "Footbridge may change the connection interval of a live link in the controller"),
    (1 << 12, "Footbridge may set connection intervals in the kernel"),
    (3 << 12, "Footbridge may change connection intervals in the controller and in the kernel"),
  ])
  func `the program's capabilities determine whether and how it may change connection intervals`(
    bits: UInt64, text: String
  ) {
    let abilities = HostController.Abilities(Capabilities(bits: bits), hasSockets: true)
    #expect(LinkSettings(abilities: abilities, defaults: []).findings == [.ok(.link, text)])
  }

  @Test
  func `the kernel's parameters for new links are reported, and extreme ones cause a warning`()
    throws
  {
    let folder = "/sys/kernel/debug/bluetooth/hci0"
    let files = try TestTree([
      "\(folder)/conn_min_interval": "24", "\(folder)/conn_max_interval": "40",
      "\(folder)/supervision_timeout": "42", "/sys/kernel/debug/bluetooth/l2cap": "x",
    ])
    func line() -> String? {
      LinkSettings([], files.tree).findings.last?.line
    }
    #expect(
      line()
        == "ok link: new links of hci0 start with intervals of 30 to 50 ms and a timeout of 420 ms")
    try files.file("\(folder)/supervision_timeout", "20")
    #expect(
      line()
        == "warning link: new links of hci0 start with intervals of 30 to 50 ms and a timeout of "
        + "200 ms -> correct [LE] in /etc/bluetooth/main.conf, or unplug the adapter and plug it "
        + "in again")
    try files.file("\(folder)/supervision_timeout", "600")
    try files.file("\(folder)/conn_max_interval", "400")
    #expect(line()?.hasPrefix("warning link: new links of hci0 start with intervals of 30") == true)
  }

  private static let now = UTCTime(year: 2026, month: 11, day: 25, nanosecondOfDay: 0)

  @Test func `a clock is checked against the kernel's status and the earliest possible date`() {
    func lines(
      isSynchronised: Bool = true, system: UTCTime = Self.now, hardware: UTCTime? = Self.now
    ) -> [String] {
      Clocks(isSynchronised: isSynchronised, systemTime: system, hardwareTime: hardware)
        .findings.map(\.line)
    }
    #expect(
      lines() == [
        "ok clock: the system clock is synchronised", "ok rtc: the computer has a real-time clock",
      ])
    #expect(
      lines(isSynchronised: false, hardware: nil) == [
        "warning clock: the system clock is not synchronised; only a GPS receiver can date recordings "
          + "-> install 'chrony' or 'systemd-timesyncd', and connect the computer to the network",
        "warning rtc: no real-time clock found: after each start the date is wrong until a network "
          + "or a receiver sets it -> add a real-time clock, or record outdoors with a receiver",
      ])
    let old = UTCTime(nanoseconds: 0)
    #expect(
      lines(system: old, hardware: old) == [
        "fault clock: the system clock shows 1970-01-01T00:00:00Z, a time before this program was "
          + "built -> connect the computer to the network, or set its clock with 'sudo date -s'",
        "warning rtc: the real-time clock shows 1970-01-01T00:00:00Z: its battery may be empty -> "
          + "replace its battery, then run 'sudo hwclock --systohc'",
      ])
  }

  @Test func `a Raspberry Pi 5 without a clock battery causes a warning`() throws {
    let files = try TestTree([
      "/sys/class/rtc/rtc0/since_epoch": "1795564800",
      "/sys/class/rtc/rtc0/battery_voltage": "9000",
    ])
    #expect(
      Clocks(files.tree).findings.last?.line
        == "warning rtc: the real-time clock has no battery: after a power cut the date is wrong until a "
        + "network or a receiver sets it -> connect a battery, or record outdoors with a receiver"
    )
    try files.file("/sys/class/rtc/rtc0/battery_voltage", "3070082")
    #expect(Clocks(files.tree).findings.last?.line == "ok rtc: the computer has a real-time clock")
    try files.remove("/sys/class/rtc/rtc0/battery_voltage")
    #expect(!Clocks.lacksBattery(files.tree))
  }

  @Test func `the first real-time clock that reports a time is used`() throws {
    let files = try TestTree(["/sys/class/rtc/rtc0/name": "broken"])
    #expect(Clocks.hardwareTime(files.tree) == nil)
    try files.file("/sys/class/rtc/rtc1/since_epoch", "1795564800")
    #expect(Clocks.hardwareTime(files.tree) == Self.now)
    try files.file("/sys/class/rtc/rtc1/since_epoch", "\(Int.max)")
    _ = Clocks.hardwareTime(files.tree)
  }

  @Test(arguments: [
    ("0x0", "ok power: the supply voltage is sufficient"),
    (
      "50005",
      "fault power: the supply voltage is too low now: cards may be damaged and adapters may reset"
    ),
    ("50000", "warning power: the supply voltage has been too low at least once since boot"),
    ("4", "warning power: the processor is throttled because of heat"),
  ])
  func `a low supply voltage and throttling are detected from the firmware's status word`(
    word: String, line: String
  ) throws {
    for place in ["soc/soc:firmware", "soc@107c000000/soc@107c000000:firmware"] {
      let files = try TestTree(["/sys/devices/platform/\(place)/get_throttled": word])
      #expect(PowerSupply(files.tree).finding.line.hasPrefix(line))
    }
  }

  @Test
  func `a low supply voltage is detected from the voltage sensor's alarm, if there is a sensor`()
    throws
  {
    let files = try TestTree([
      "/sys/class/hwmon/hwmon0/name": "cpu_thermal", "/sys/class/hwmon/hwmon1/name": "rpi_volt",
      "/sys/class/hwmon/hwmon1/in0_lcrit_alarm": "0",
    ])
    #expect(PowerSupply(files.tree).finding.line == "ok power: the supply voltage is sufficient")
    try files.file("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1")
    #expect(
      PowerSupply(files.tree).finding.remedy
        == "use the manufacturer's power supply or a stronger battery, and a short cable")
    #expect(PowerSupply(files.tree).finding.level == .fault)
    #expect(
      PowerSupply(try TestTree().tree).finding.line
        == "ok power: this computer does not report its supply voltage")
  }

  @Test(arguments: [
    ("0x01 0x02", "0x01", "ok card: mmcblk0 has used up 10 to 20 % of its life"),
    ("0x00 0x00", "0x00", "ok card: mmcblk0 does not report its wear"),
    ("0x09 0x03", "0x01", "warning card: mmcblk0 has used up 80 to 90 % of its life"),
    ("0x02 0x02", "0x02", "warning card: mmcblk0 has used up 10 to 20 % of its life"),
    ("0x0b 0x02", "0x01", "fault card: mmcblk0 is at the end of its life"),
    ("0x02 0x02", "0x03", "fault card: mmcblk0 is at the end of its life"),
  ])
  func `the wear of soldered flash memory is reported`(life: String, reserve: String, line: String)
    throws
  {
    let files = try TestTree([
      "/sys/block/mmcblk0/device/life_time": life,
      "/sys/block/mmcblk0/device/pre_eol_info": reserve,
      "/sys/block/mmcblk0boot0/device/life_time": life, "/sys/block/sda/size": "1",
    ])
    let cards = MemoryCard.all(files.tree)
    #expect(cards.count == 1)
    #expect(cards.first?.finding.line.hasPrefix(line) == true, "\(cards)")
  }

  @Test func `no wear is reported for an SD card`() throws {
    let files = try TestTree(["/sys/block/mmcblk1/device/type": "SD"])
    #expect(
      MemoryCard.all(files.tree).map(\.finding.line) == [
        "ok card: mmcblk1 does not report its wear"
      ])
  }
}
