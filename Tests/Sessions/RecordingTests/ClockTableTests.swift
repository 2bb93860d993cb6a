import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct ClockTableTests {
  static func entry(
    _ boot: Int64, _ utc: Int64, _ source: ClockTable.Source
  ) -> ClockTable.Entry {
    ClockTable.Entry(
      boot: BootTime(nanoseconds: boot), utc: UTCTime(nanoseconds: utc), source: source)
  }

  @Test func `without a pair of boot time and UTC, no UTC time is known`() {
    let table = ClockTable([])
    #expect(table.source == nil)
    #expect(table.utc(at: BootTime(nanoseconds: 5)) == nil)
  }

  @Test func `a single pair of boot time and UTC is enough to date instants before and after it`() {
    let table = ClockTable([Self.entry(100, 1_000, .system)])
    #expect(table.utc(at: BootTime(nanoseconds: 40)) == UTCTime(nanoseconds: 940))
    #expect(table.utc(at: BootTime(nanoseconds: 140)) == UTCTime(nanoseconds: 1_040))
  }

  @Test func `the boot time of an instant is found by its UTC time`() {
    let table = ClockTable([Self.entry(100, 1_000, .system)])
    #expect(table.boot(at: UTCTime(nanoseconds: 940)) == BootTime(nanoseconds: 40))
    #expect(table.boot(at: UTCTime(nanoseconds: 0)) == BootTime(nanoseconds: -900))
    #expect(table.boot(at: UTCTime(nanoseconds: .min)) == BootTime(nanoseconds: .min))
    #expect(BootTime(nanoseconds: .min).advanced(bySeconds: -1).nanoseconds == .min)
    #expect(BootTime(nanoseconds: .max).advanced(bySeconds: 1).nanoseconds == .max)
    #expect(ClockTable([]).boot(at: UTCTime(nanoseconds: 0)) == nil)
  }

  @Test
  func `a synchronised clock takes precedence over satellites, and satellites over other clocks`() {
    let system = Self.entry(0, 9_000, .system)
    let synchronised = Self.entry(0, 500, .synchronised)
    let satellites = Self.entry(0, 100, .satellites)
    let all = ClockTable([system, satellites, synchronised])
    #expect(all.source == .synchronised)
    #expect(all.utc(at: BootTime(nanoseconds: 0)) == UTCTime(nanoseconds: 500))
    #expect(all.disagreement == nil)
    #expect(ClockTable([system, satellites]).source == .satellites)
    #expect(ClockTable([system]).source == .system)
    #expect(!ClockTable([system]).isTrusted)
    #expect(ClockTable([]).sourceName == "unsynced")
  }

  /// Returns clock pairs from a receiver, one minute apart, for a boot that began this many seconds
  /// after 1970.
  private static func satellites(
    _ count: Int, _ epoch: Double = 1.78e9, wait: (Int) -> Double = { _ in 0 },
    drift: Double = 0
  ) -> [ClockTable.Entry] {
    (0..<count).map { minute in
      let boot = 100 + Double(minute) * 60
      return ClockTable.Entry(
        boot: FixTrackTests.at(boot),
        utc: UTCTime(nanoseconds: 0)
          .advanced(bySeconds: epoch + boot * (1 + drift) - wait(minute)),
        source: .satellites)
    }
  }

  @Test
  func `satellites take precedence over a synchronised clock that differs by more than a second`() {
    let synchronised = Self.entry(0, 1_780_000_003_000_000_000, .synchronised)
    let table = ClockTable([synchronised] + Self.satellites(3))
    #expect(table.source == .satellites)
    #expect(table.disagreement == .seconds(-3))
    #expect(
      table.disagreement?.description == "the system clock is 3 s ahead of the satellites")
    #expect(table.utc(at: FixTrackTests.at(0))?.nanoseconds == 1_780_000_000_000_000_000)
  }

  @Test(arguments: [ClockTable.Source.synchronised, .system])
  func `a week rollover in the receiver is not attributed to the system clock`(
    source: ClockTable.Source
  ) {
    let system = Self.entry(0, 1_780_000_000_200_000_000, source)
    let table = ClockTable([system] + Self.satellites(3, 1.78e9 - 619_315_200))
    #expect(table.disagreement == .weekRollover(turns: 1))
    #expect(table.source == (source == .system ? .satellites : source))
    let utc = table.utc(at: FixTrackTests.at(0))?.nanoseconds
    let expected: Int64 = 1_780_000_000_000_000_000 + (source == .system ? 0 : 200_000_000)
    #expect(utc == expected)
  }

  @Test func `a system clock in 1970 does not take precedence over satellites`() {
    let table = ClockTable([Self.entry(0, 0, .system)] + Self.satellites(3))
    #expect(table.source == .satellites)
    #expect(table.utc(at: FixTrackTests.at(0))?.nanoseconds == 1_780_000_000_000_000_000)
  }

  @Test func `after the system clock is set, times are computed from its latest reading`() {
    let table = ClockTable([
      Self.entry(0, 1_000, .system), Self.entry(50, 9_050, .system),
    ])
    #expect(table.utc(at: BootTime(nanoseconds: 0)) == UTCTime(nanoseconds: 9_000))
    let later = ClockTable([
      Self.entry(0, 9_000, .system), Self.entry(90, 5_090, .synchronised),
    ])
    #expect(later.utc(at: BootTime(nanoseconds: 0)) == UTCTime(nanoseconds: 5_000))
  }

  @Test func `the boot clock's drift over several hours is corrected using satellite times`() {
    // 30 ppm add up to 1.5 seconds in fourteen hours, and fixes are delayed by up to 0.4 s.
    let entries = Self.satellites(
      840, wait: { Double($0 * 7_919 % 41) / 100 }, drift: 30e-6)
    let table = ClockTable(entries)
    for hour in 0..<14 {
      let boot = Double(hour) * 3_600 + 200
      let utc = table.utc(at: FixTrackTests.at(boot))?.nanoseconds ?? 0
      let truth = Int64((1.78e9 + boot * (1 + 30e-6)) * 1e9)
      #expect(abs(utc - truth) < 10_000_000)
      let again = table.boot(at: UTCTime(nanoseconds: utc))?.nanoseconds ?? 0
      #expect(abs(again - FixTrackTests.at(boot).nanoseconds) < 10_000)
    }
  }

  @Test func `a receiver's time is trusted once it has received the leap seconds`() {
    let before = Self.satellites(3, 1.78e9 + 18)
    var after = Self.satellites(6)
    after.removeFirst(3)
    let table = ClockTable(before + after)
    #expect(table.utc(at: FixTrackTests.at(0))?.nanoseconds == 1_780_000_000_000_000_000)
  }

  @Test
  func `a session without a trusted clock uses the clocks of other sessions of the same boot`() {
    let system = Self.entry(0, 9_000, .system)
    let trusted = Self.entry(0, 500, .synchronised)
    #expect(
      ClockTable.entries(own: [system]) { [Self.entry(5, 5, .system), trusted] }
        == [system, trusted])
    #expect(ClockTable.entries(own: [trusted]) { Self.satellites(3) } == [trusted])
  }

  @Test func `the fix with the shortest delay determines the time`() {
    let table = ClockTable([
      Self.entry(1_300, 1_000, .satellites), Self.entry(2_100, 2_000, .satellites),
      Self.entry(3_500, 3_000, .satellites),
    ])
    #expect(table.utc(at: BootTime(nanoseconds: 2_100)) == UTCTime(nanoseconds: 2_000))
  }
}
