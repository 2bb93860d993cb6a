import TestSupport
import Testing

@testable import CommandLineTool
@testable import Terminal

/// Faults in configuration files, and the exact message for each.
@Suite(.computation) struct ConfigurationMistakesTests {
  private func reading(_ text: String) -> ConfigurationReading {
    ConfigurationReading(Array(text.utf8), file: "f.conf")
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let text: String
    let faults: String

    init(_ text: String, _ faults: String) {
      self.text = text
      self.faults = faults
    }

    var testDescription: String { text }
  }

  @Test(arguments: [
    Mistake(
      "[sensors]\nsensr = acceleration",
      """
      f.conf:2: unknown key 'sensr' in [sensors]
             did you mean 'sensor'?
      """),
    Mistake(
      "[Sensor]\nsensr = acceleration",
      """
      f.conf:1: unknown section [Sensor]
             did you mean [sensors]?
      """),
    Mistake(
      "[zoo]",
      """
      f.conf:1: unknown section [zoo]
             sections are gateway, board, sensors, receiver, recording, store, upload, definitions, sharing, status, web
      """),
    Mistake(
      "[bord left]",
      """
      f.conf:1: unknown section [bord]
             did you mean [board NAME]?
      """),
    Mistake(
      "[sensors]\ngps = gpsd",
      """
      f.conf:2: unknown key 'gps' in [sensors]
             it is a key of [receiver]
      """),
    Mistake(
      "[store]\nwhen = always\ncolour = red",
      """
      f.conf:2: unknown key 'when' in [store]
             it is a key of [recording] and of [upload] and of [sharing]
      f.conf:3: unknown key 'colour' in [store]
             its keys are path
      """),
    Mistake(
      "gps = gpsd",
      """
      f.conf:1: 'gps' is above the first section
             put it below its heading, as in [receiver]
      """),
    Mistake(
      "[recording]\nseal = 5\n; in between\nseal = 5",
      """
      f.conf:4: 'seal' is set twice, first on line 2
             remove one of them
      """),
    Mistake(
      "[sensors]\nsensor = acceleration@100\nsensor = acceleration@50:4",
      """
      f.conf:3: 'sensor' lists 'acceleration' twice, first on line 2
             remove one of them
      """),
    Mistake(
      "[recording]\nhazard = slop=1\nhazard = Slope=2",
      """
      f.conf:3: 'hazard' lists 'slope' twice, first on line 2
             remove one of them
      """),
    Mistake(
      "[recording]\nseal = 1\n[recording]\nseal = 2",
      """
      f.conf:3: [recording] appears twice, first on line 1
             merge their keys
      f.conf:4: 'seal' is set twice, first on line 2
             remove one of them
      """),
    Mistake(
      "[board left]\nplacement = left ankle",
      """
      f.conf:1: [board left] has no 'address'
             add it below, as in address = C8:4B:AA:97:50:05
      """),
    Mistake(
      "[board]",
      """
      f.conf:1: [board] needs a name
             write [board NAME]; NAME has up to 40 characters on one line, is not an address, and does not begin with a hyphen
      """),
    Mistake(
      "[board -x]\naddress = nonsense",
      """
      f.conf:1: '-x' cannot be a board's name
             write [board NAME]; NAME has up to 40 characters on one line, is not an address, and does not begin with a hyphen
      f.conf:2: 'address' cannot be 'nonsense'
             ADDRESS is the address of a board, as in C8:4B:AA:97:50:05
             'footbridge scan' shows addresses
      """),
    Mistake(
      "[gateway trolley]",
      """
      f.conf:1: [gateway] does not accept a name
             write [gateway]
      """),
    Mistake(
      """
      [board left]
      address = C8:4B:AA:97:50:05
      [board LEFT]
      address = C8:4B:AA:97:50:05
      """,
      """
      f.conf:3: [board LEFT] appears twice, first on line 1
             rename one of the boards
      f.conf:4: 'address' is set twice, first on line 2
             remove one of them
      """),
    Mistake(
      """
      [board left]
      address = C8:4B:AA:97:50:05
      [board right]
      address = c8:4b:aa:97:50:05
      """,
      """
      f.conf:4: [board right] has the same address as [board left], line 2
             give each board its own address
      """),
    Mistake(
      "[sensors]\nsensor = acelleration",
      """
      f.conf:2: there is no signal 'acelleration': did you mean 'acceleration'?
             SENSOR is SIGNAL, SIGNAL@RATE or SIGNAL@RATE:RANGE, as in acceleration@100:8
             'footbridge sensors' lists signals, rates and ranges
      """),
    Mistake(
      "[recording]\nwhen = sometimes\nseal = 15 # minutes\nsession-hours = 1.5",
      """
      f.conf:2: 'when' cannot be 'sometimes'
             choose one of always, hours, walking, command
      f.conf:3: 'seal' cannot be '15 # minutes'
             MINUTES is a number above 0 and at most 1440
             after a value, a comment begins with ' ;'
      f.conf:4: 'session-hours' cannot be '1.5'
             HOURS is a whole number from 1 to 168
      """),
    Mistake(
      "[recording]\nseal =\nnote = \"a walk\"\n[store]\npath = walks.sqlite",
      """
      f.conf:2: 'seal' has no value
             add a value, or remove the line to use the default: 15 minutes
      f.conf:3: the value of 'note' is in quotes
             remove the quotes
      f.conf:5: 'path' cannot be 'walks.sqlite'
             FILE is the absolute path of a file, as in /srv/walks/recording.sqlite
      """),
    Mistake(
      "[recording]\nwearer =; P07\nnote = ; a comment\nseal = 5",
      """
      f.conf:2: the value of 'wearer' begins with ';'
             put a space before the ';' if it begins a comment
      """),
    Mistake(
      "[status]\nsocket = /run/" + String(repeating: "s", count: 103),
      """
      f.conf:2: 'socket' cannot be '/run/\(String(repeating: "s", count: 74))…'
             FILE is the absolute path of a socket, at most 107 bytes long
      """),
    Mistake(
      "[recording]\nwhen = hours\nhours =",
      """
      f.conf:2: 'when = hours' needs 'hours'
             add them, as in hours = 07:00-19:00
      """),
    Mistake(
      "[recording]\nwhen = walking\n[sensors]\nsensor = angular_velocity@100",
      """
      f.conf:2: 'when = walking' needs an accelerometer at 12 Hz or more
             add 'sensor = acceleration@100' in [sensors]
      """),
    // The fault is reported only once: the hours are set, even though their value is invalid.
    Mistake(
      "[recording]\nwhen = hours\nhours = 7-19",
      """
      f.conf:3: 'hours' cannot be '7-19'
             HOURS is a range of hours, as in 20:00-06:00
      """),
    Mistake(
      "[sharing]\nlive-location = study",
      """
      f.conf:2: 'live-location' needs a position source
             set 'gps' in [receiver], or remove 'live-location'
      """),
    Mistake(
      "[sharing]\nbroker = mqtt://a:secret@b\nexpires = 14",
      """
      f.conf:2: other users may be able to read a password in the address
             put the password in a file that nobody else may read, and set 'password-file' to its path
      f.conf:2: 'broker' needs 'fleet'
             set the name of the fleet, as in fleet = study
      f.conf:3: 'expires' is less than three times 'least-interval'
             set 'expires' to 15 or more
      """),
    Mistake(
      "[gateway]\nname = a/b\n[sharing]\nbroker = mqtt://b\nfleet = f\nwhen = hours",
      """
      f.conf:4: the broker cannot use the name of this gateway
             set a 'name' in [gateway] with 1 to 64 bytes without '/', '+', '#' or control characters
      f.conf:6: 'when = hours' needs 'hours'
             add them, as in hours = 07:00-19:00
      """),
    Mistake(
      "[sharing]\nbroker = http://b\nfleet = a/b",
      """
      f.conf:2: 'broker' cannot be 'http://b'
             ADDRESS is an address as in mqtts://user@broker.example.org, or mqtt://host1:1883,host2:1883
      f.conf:3: 'fleet' cannot be 'a/b'
             NAME has 1 to 64 bytes without '/', '+', '#' or control characters
      """),
    Mistake(
      "[recording]\n seal = 5\nnote = a\n  b\n\tc",
      """
      f.conf:2: the line begins with whitespace
             start it in the first column; a value must fit on one line
      f.conf:4: the line begins with whitespace
             start it in the first column; a value must fit on one line
      f.conf:5: the line begins with whitespace
             start it in the first column; a value must fit on one line
      """),
    Mistake(
      "[recording\nseal\n= 4\n[store] path = /x",
      """
      f.conf:1: the heading has no closing bracket
             write it as in [gateway] or [board left]
      f.conf:2: 'seal' is not a key with a value
             write KEY = VALUE; a comment begins with ';'
      f.conf:3: the line has no key before '='
             write KEY = VALUE
      f.conf:4: 'path = /x' follows the heading
             move it to a separate line
      """),
    Mistake(
      "[recording]\nnote = a\u{200b}b\n; a\u{200b}b\nwearer = \u{1b}[2J\n\u{feff}seal = 5"
        + "\n\u{feff}[upload]\n\u{b}[upload]",
      """
      f.conf:2: the line contains an invisible character: U+200B
             retype the line
      f.conf:4: the line contains an invisible character: U+001B
             retype the line
      f.conf:5: the line contains an invisible character: U+FEFF
             retype the line
      f.conf:6: the line contains an invisible character: U+FEFF
             retype the line
      f.conf:7: the line contains an invisible character: U+000B
             retype the line
      """),
    Mistake(
      "[recording]\u{301} seal = 5",
      """
      f.conf:1: '\u{301} seal = 5' follows the heading
             move it to a separate line
      """),
    Mistake(
      "[gateway]\nname = a\u{0}b\nnonsense",
      """
      f.conf:2: the file contains a zero byte, so it is not text
             save the file as UTF-8 text
      """),
  ])
  func `all faults of a configuration file are reported together, each with its line and remedy`(
    _ test: Mistake
  ) {
    let reading = reading(test.text)
    #expect(reading.faults.map(\.description).joined(separator: "\n") == test.faults)
  }

  @Test(arguments: [
    Mistake(
      "[sensors]\nsensor = acceleration@100\nsensor = quaternion",
      """
      f.conf:3: acceleration and quaternion cannot be recorded together: sensor fusion configures \
      its own sensors
             leave one of them out; sensor fusion offers the sensors' values as corrected_…
      """),
    Mistake(
      "[sensors]\nsensor = angular_velocity@50\nsensor = acceleration@37",
      """
      f.conf:3: cannot measure acceleration at 37 Hz: the BMI270 has no such rate
             choose one of 0.78125, 1.5625, 3.125, 6.25, 12.5, 25, 50, 100, 200, 400, 800, 1600 Hz
      """),
  ])
  func `sensors that no model can record are reported as a fault`(_ test: Mistake) {
    #expect(
      reading(test.text).faults.map(\.description).joined(separator: "\n") == test.faults)
  }

  /// Some models have these sensors. Only a board itself knows which of its pins measure voltages.
  @Test(arguments: [
    "sensor = corrected_acceleration@100\nsensor = quaternion@100", "sensor = humidity",
    "sensor = acceleration@100:16\nsensor = pressure", "sensor = voltage_pin2@10",
  ])
  func `sensors that at least one model can record are accepted`(_ lines: String) {
    #expect(reading("[sensors]\n" + lines).faults == [])
  }

  @Test func `a configuration with one board more than the limit is rejected`() {
    let text = (0...20).map { number in
      "[board b\(number)]\naddress = C8:4B:AA:97:50:\(10 + number)\n"
    }.joined()
    #expect(
      reading(text).faults.map(\.description) == [
        """
        f.conf:41: too many boards
               a computer records at most 20 boards: use another computer for this board
        """
      ])
  }

  @Test(arguments: [
    Mistake(
      "[recording]\nhours = 07:00-19:00",
      """
      f.conf:2: 'hours' has no effect without 'when = hours'
             set 'when = hours', or remove 'hours'
      """),
    Mistake(
      "[recording]\nlead = 20\nwithout-receiver = record",
      """
      f.conf:2: 'lead' has no effect without 'when = walking'
             set 'when = walking', or remove 'lead'
      f.conf:3: 'without-receiver' has no effect without 'when = walking'
             set 'when = walking', or remove 'without-receiver'
      """),
    Mistake(
      "[recording]\nwhen = walking\nlead = 60\npre-roll = 70",
      """
      f.conf:4: a session may begin after the first step
             set 'pre-roll' to 75 or more
      """),
    Mistake(
      "[upload]\nwhen = never\ndestination = home\n[status]\nprometheus = 0.0.0.0:9105",
      """
      f.conf:3: nothing is uploaded because 'when' is 'never'
             set 'when = always', or remove 'destination'
      f.conf:5: other computers can read the status of this gateway
             use 127.0.0.1:9105 to prevent that
      """),
  ])
  func `a valid line without effect or with a risk is reported as a hint`(_ test: Mistake) {
    let reading = reading("[board left]\naddress = C8:4B:AA:97:50:05\n" + test.text)
    #expect(reading.faults == [])
    // The board's two lines come first.
    let moved = test.faults.split(separator: "\n").map { line in
      guard line.hasPrefix("f.conf:"), let end = line.dropFirst(7).firstIndex(of: ":"),
        let number = Int(line.dropFirst(7)[..<end])
      else { return String(line) }
      return "f.conf:\(number + 2)\(line[end...])"
    }
    #expect(
      reading.hints.flatMap { $0.description.split(separator: "\n").map(String.init) } == moved)
  }
}
