import TestSupport
import Testing
import Upload

@testable import Gateway

@Suite(.computation) struct RecordingWishTests {
  private let noon = 12 * 60
  private let night = 23 * 60

  private let hours = RecordingWish.Rule(.hours, hours: UploadHours("07:00-19:00"))

  private func expect(
    _ wish: inout RecordingWish, at minute: Int, records: Bool,
    place: SourceLocation = #_sourceLocation
  ) {
    let wants = wish.wantsRecording(minuteOfDay: minute)
    #expect(wants == records, sourceLocation: place)
  }

  @Test
  func `with 'when = always', recording is wanted at all times, except outside the given hours`() {
    var always = RecordingWish(.init(.always))
    expect(&always, at: night, records: true)
    var daily = RecordingWish(hours)
    expect(&daily, at: noon, records: true)
    expect(&daily, at: night, records: false)
  }

  @Test
  func `with 'when = command', recording is wanted from the start command to the stop command`() {
    var wish = RecordingWish(.init(.command))
    expect(&wish, at: noon, records: false)
    wish.take(.start, minuteOfDay: noon)
    expect(&wish, at: night, records: true)
    wish.take(.stop, minuteOfDay: night)
    expect(&wish, at: noon, records: false)
  }

  @Test func `a recording stopped during the day starts again when the next day's hours begin`() {
    var wish = RecordingWish(hours)
    wish.take(.stop, minuteOfDay: noon)
    expect(&wish, at: noon + 1, records: false)
    #expect(wish.isStopped)
    expect(&wish, at: night, records: false)
    expect(&wish, at: noon, records: true)
  }

  @Test func `a recording started at night continues into the recording hours and ends with them`()
  {
    var wish = RecordingWish(hours)
    wish.take(.start, minuteOfDay: night)
    expect(&wish, at: night + 1, records: true)
    expect(&wish, at: noon, records: true)
    expect(&wish, at: night, records: false)
  }

  @Test func `with 'when = always', a stop command applies until the next start command`() {
    var wish = RecordingWish(.init(.always))
    wish.take(.stop, minuteOfDay: noon)
    expect(&wish, at: night, records: false)
    wish.take(.start, minuteOfDay: night)
    expect(&wish, at: night, records: true)
  }

  @Test
  func `with 'when = walking', a stop lasts until the walk ends, and a start until the next stop`()
  {
    var wish = RecordingWish(.init(.walking))
    func wants(_ walks: Bool) -> Bool { wish.wantsRecording(ruleSays: walks) }
    #expect(!wants(false))
    #expect(wants(true))
    wish.take(.stop, ruleSays: true)
    #expect(!wants(true))
    #expect(!wants(false))
    #expect(wants(true))
    #expect(!wants(false))
    wish.take(.start, ruleSays: false)
    #expect(wants(false))
    #expect(wants(true))
    #expect(wants(false))
    wish.take(.stop, ruleSays: false)
    #expect(!wants(false))
    #expect(wants(true))
  }
}
