import MetaWearProtocol
import TestSupport
import Testing
import Values

/// A command, its meaning, and its bytes according to the protocol reference.
struct CommandCase: CustomTestStringConvertible, Sendable {
  var meaning: String
  var command: Command
  var bytes: String

  init(_ meaning: String, _ command: Command, _ bytes: String) {
    self.meaning = meaning
    self.command = command
    self.bytes = bytes
  }

  /// Creates a test case for a command whose packet must decode to the same value.
  init<Value: ModuleCommand>(_ meaning: String, of value: Value, _ bytes: String) {
    self.init(meaning, value.command, bytes)
    isReadBack = { $0 as? Value == value }
  }

  /// Returns whether a decoded value equals the original.
  var isReadBack: (@Sendable (any ModuleCommand) -> Bool)?

  var testDescription: String { meaning }
}

@Suite(.computation) struct CommandTests {
  static let accelerometer = Accelerometer(chip: .bmi270, revision: 0)
  static let modules = ModuleTable([
    .accelerometer: ModuleInfo(implementation: 4, revision: 0),
    .gyroscope: ModuleInfo(implementation: 1, revision: 0),
  ])

  static let cases = [
    CommandCase("ask for a module", .readModuleInfo(.accelerometer), "03 80"),
    CommandCase("ask for the debug module", .readModuleInfo(.debug), "fe 80"),
    CommandCase("read the battery", Settings.readBattery, "11 8c"),
    CommandCase("read the name", Settings.readName, "11 81"),
    CommandCase("read the link parameters", Settings.readConnectionParameters, "11 89"),
    CommandCase("7.5 ms, 6 s", Settings.prefer(.fast), "11 09 0600 0600 0000 5802"),
    CommandCase(
      "750 to 1000 ms, latency 128, 16.38 s",
      Settings.prefer(
        ConnectionParameters(
          minimumInterval: 600, maximumInterval: 800, latency: 128, timeout: 1638)),
      "11 09 5802 2003 8000 6606"),
    CommandCase("read the board's clock", Logging.readTime, "0b 84"),
    CommandCase("stop logging", Logging.stop, "0b 01 00"),
    CommandCase("forget log triggers", of: Logging.removeAllTriggers, "0b 0a"),
    CommandCase(
      "pack two accelerations",
      of: DataProcessor.create(
        .packer(sampleLength: 6, count: 2), on: accelerometer.source),
      "09 02 03 04 ff a0 10 05 01"),
    CommandCase(
      "pack four temperatures of channel 1",
      of: DataProcessor.create(
        .packer(sampleLength: 2, count: 4),
        on: SignalSource(.temperature, 0x01, index: 1, length: 2)),
      "09 02 04 01 01 20 10 01 03"),
    CommandCase(
      "count the packer's output",
      of: DataProcessor.create(.counter, on: .processor(0, length: 6)),
      "09 02 09 03 00 a0 11 30 03"),
    CommandCase(
      "stamp every acceleration",
      of: DataProcessor.create(.timestamp, on: accelerometer.source),
      "09 02 03 04 ff a0 11 31 03"),
    CommandCase(
      "one axis of the accelerometer",
      of: DataProcessor.create(
        .counter, on: SignalSource(.accelerometer, 0x04, length: 2, offset: 2)),
      "09 02 03 04 ff 22 11 30 03"),
    CommandCase("send processor 1", of: DataProcessor.subscribe(1), "09 07 01 01"),
    CommandCase("stop sending processor 1", of: DataProcessor.unsubscribe(1), "09 07 01 00"),
    CommandCase("let processors send", DataProcessor.enableNotifications, "09 03 01"),
    CommandCase("remove processor 7", of: DataProcessor.remove(7), "09 06 07"),
    CommandCase("remove all processors", of: DataProcessor.removeAll, "09 08"),
    CommandCase("forget event 1", of: Event.remove(1), "0a 04 01"),
    CommandCase("forget all events", of: Event.removeAll, "0a 05"),
    CommandCase(
      "a timer of 3141 ms, 59 times",
      of: Timer.create(periodMilliseconds: 3141, repetitions: 59), "0c 02 450c0000 3b00 00"),
    CommandCase(
      "an endless timer that starts at once",
      of: Timer.create(periodMilliseconds: 5000, isImmediate: true), "0c 02 88130000 ffff 01"),
    CommandCase("start timer 0", of: Timer.start(0), "0c 03 00"),
    CommandCase("stop timer 5", of: Timer.stop(5), "0c 04 05"),
    CommandCase("remove timer 7", of: Timer.remove(7), "0c 05 07"),
    CommandCase("LEDs off", LED.stopAndClear, "02 02 01"),
    CommandCase(
      "blink red ten times", LED.blink(.red, repetitions: 10),
      "02 03 01 02 1f 00 0000 3200 0000 f401 0000 0a"),
    CommandCase("play LEDs", LED.play, "02 01 01"),
    CommandCase("watch the button", Switch.subscribe, "01 01 01"),
    CommandCase("leave the button", Switch.unsubscribe, "01 01 00"),
    CommandCase("read the button", Switch.read, "01 81"),
    CommandCase("read temperature channel 3", of: Temperature.read(channel: 3), "04 81 03"),
    CommandCase("reset", of: Debug.reset, "fe 01"),
    CommandCase("disconnect", of: Debug.disconnect, "fe 06"),
  ]

  @Test(arguments: cases)
  func `a command is encoded as in the reference`(_ item: CommandCase) {
    #expect(item.command.bytes == hex(item.bytes))
    #expect(Command(bytes: item.command.bytes) == item.command)
    let meaning = item.command.meaning(on: Self.modules)
    #expect(meaning.command == item.command)
    if let isReadBack = item.isReadBack { #expect(isReadBack(meaning), "read as \(meaning)") }
  }

  @Test func `an event is encoded as its source and target, followed by the parameters`() {
    let stop = Event.record(Self.accelerometer.powerOff, when: .disconnect)
    #expect(stop.map(\.bytes) == [hex("0a 02 11 0a ff 03 01 01"), hex("0a 03 00")])

    let poll = Event.record(Temperature.read(channel: 1), when: .timer(0))
    #expect(poll.map(\.bytes) == [hex("0a 02 0c 06 00 04 81 01"), hex("0a 03 01")])

    let reset = Event.record(Debug.reset, when: .switch)
    #expect(reset.map(\.bytes) == [hex("0a 02 01 01 ff fe 01 00")])
  }

  @Test func `the modules' codes are 01 to 19, and fe`() {
    let asked = ModuleID.allCases.map { Command.readModuleInfo($0).bytes[0] }
    #expect(asked == Array(1...0x19) + [0xfe])
  }

  @Test func `a command has 2 to 20 bytes`() {
    for count in 0...24 {
      let command = Command(bytes: [UInt8](repeating: 1, count: count))
      #expect((command != nil) == (2...20).contains(count), "\(count) bytes")
    }
  }

  @Test(.realTime) func `a command that is too long for a board ends the process`() async {
    await #expect(processExitsWith: .failure) {
      _ = Command(.settings, 0x01, [UInt8](repeating: 0x41, count: 19))
    }
  }
}
