import Recording
import Testing

@Suite struct ClockTableTests {
  static func entry(
    _ boot: Int64, _ utc: Int64, _ source: ClockTable.Source
  ) -> ClockTable.Entry {
    ClockTable.Entry(
      boot: BootTime(nanoseconds: boot), utc: UTCTime(nanoseconds: utc), source: source)
  }

  @Test func `without a pair no time is known`() {
    let table = ClockTable([])
    #expect(table.source == nil)
    #expect(table.utc(at: BootTime(nanoseconds: 5)) == nil)
  }

  @Test func `one pair dates what came before and after it`() {
    let table = ClockTable([Self.entry(100, 1_000, .system)])
    #expect(table.utc(at: BootTime(nanoseconds: 40)) == UTCTime(nanoseconds: 940))
    #expect(table.utc(at: BootTime(nanoseconds: 140)) == UTCTime(nanoseconds: 1_040))
  }

  @Test func `an instant is found by its universal time`() {
    let table = ClockTable([Self.entry(100, 1_000, .system)])
    #expect(table.boot(at: UTCTime(nanoseconds: 940)) == BootTime(nanoseconds: 40))
    #expect(table.boot(at: UTCTime(nanoseconds: 0)) == BootTime(nanoseconds: -900))
    #expect(table.boot(at: UTCTime(nanoseconds: .min)) == BootTime(nanoseconds: .min))
    #expect(BootTime(nanoseconds: .min).advanced(bySeconds: -1).nanoseconds == .min)
    #expect(BootTime(nanoseconds: .max).advanced(bySeconds: 1).nanoseconds == .max)
    #expect(ClockTable([]).boot(at: UTCTime(nanoseconds: 0)) == nil)
  }

  @Test func `satellites outweigh a synchronised clock, and that outweighs any other`() {
    let system = Self.entry(0, 9_000, .system)
    let synchronised = Self.entry(0, 500, .synchronised)
    let satellites = Self.entry(0, 100, .satellites)
    #expect(ClockTable([system, satellites, synchronised]).source == .satellites)
    #expect(
      ClockTable([system, satellites, synchronised]).utc(at: BootTime(nanoseconds: 0))
        == UTCTime(nanoseconds: 100))
    #expect(ClockTable([system, synchronised]).source == .synchronised)
    #expect(ClockTable([system]).source == .system)
  }

  @Test func `of several fixes the one that waited least counts`() {
    let table = ClockTable([
      Self.entry(1_300, 1_000, .satellites), Self.entry(2_100, 2_000, .satellites),
      Self.entry(3_500, 3_000, .satellites),
    ])
    #expect(table.utc(at: BootTime(nanoseconds: 2_100)) == UTCTime(nanoseconds: 2_000))
  }
}
