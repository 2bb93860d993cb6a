import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

/// Packets that a real board would ignore, and part of the complaint that the simulated board makes
/// about the last packet.
struct MistakeCase: CustomTestStringConvertible, Sendable {
  var packets: [[UInt8]]
  var complaint: String

  var testDescription: String { complaint }
}

@Suite(.computation) struct SimulatedBoardComplaintsTests {
  static let mistakes = [
    MistakeCase(packets: [[0x03]], complaint: "a write of 1 bytes"),
    MistakeCase(packets: [[UInt8](repeating: 2, count: 21)], complaint: "a write of 21 bytes"),
    MistakeCase(packets: [[0x77, 0x01]], complaint: "no such module"),
    MistakeCase(packets: [[0x16, 0x81]], complaint: "has no module humidity"),
    MistakeCase(packets: [[0x03, 0x3f, 0x01]], complaint: "not a command"),
    MistakeCase(packets: [[0x03, 0x03, 0x28, 0x0c]], complaint: "no such rate or range"),
    MistakeCase(
      packets: [[0x03, 0x03, 0xa8, 0x02], [0x03, 0x01, 0x01], [0x03, 0x03, 0xa7, 0x02]],
      complaint: "while it is running"),
    MistakeCase(packets: [[0x03, 0x01, 0x07]], complaint: "no such power mode"),
    MistakeCase(packets: [[0x0a, 0x03, 0x00]], complaint: "parameters without an event"),
    MistakeCase(
      packets: [[0x0a, 0x02, 0x11, 0x0a, 0xff, 0x03, 0x01, 0x01], [0x0a, 0x03, 0x00, 0x00]],
      complaint: "1 bytes of parameters"),
    MistakeCase(packets: [[0x0a, 0x04, 0x03]], complaint: "no such event"),
    MistakeCase(packets: [[0x09, 0x06, 0x03]], complaint: "no such data processor"),
    MistakeCase(packets: [[0x09, 0x07, 0x03, 0x01]], complaint: "no such data processor"),
    // A processor whose input is a packed register.
    MistakeCase(
      packets: [[0x09, 0x02, 0x03, 0x05, 0xff, 0xa0, 0x11, 0x30, 0x03]],
      complaint: "to this source"),
    // If a packer combines three accelerations, no space is left for its header.
    MistakeCase(
      packets: [[0x09, 0x02, 0x03, 0x04, 0xff, 0xa0, 0x10, 0x05, 0x02]],
      complaint: "18 bytes of processor output"),
    // The packer is removed before the counter that uses it.
    MistakeCase(
      packets: [
        [0x09, 0x02, 0x03, 0x04, 0xff, 0xa0, 0x10, 0x05, 0x01],
        [0x09, 0x02, 0x09, 0x03, 0x00, 0xa0, 0x11, 0x30, 0x03], [0x09, 0x06, 0x00],
      ],
      complaint: "depends on this one"),
    MistakeCase(packets: [[0x0c, 0x03, 0x00]], complaint: "no such timer"),
    MistakeCase(packets: [[0x04, 0x81, 0x09]], complaint: "no such temperature channel"),
  ]

  @Test(arguments: mistakes)
  func `an invalid command is ignored and reported`(_ mistake: MistakeCase) {
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(Array(mistake.packets.dropLast()))
    #expect(client.board.complaints == [])
    let answers = client.write(Array(mistake.packets.suffix(1)))
    #expect(answers == [])
    #expect(client.board.complaints.count == 1)
    #expect(client.board.complaints.first?.contains(mistake.complaint) == true)
  }

  @Test func `settings of a running sensor cannot be changed`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    let sensor = Accelerometer(chip: .bmi270, revision: 0)
    try client.start(sensor, rate: 100, range: 8, subscribing: nil)
    client.write([[0x03, 0x03, 0xa6, 0x00]])
    #expect(client.write([[0x03, 0x83]]) == [[0x03, 0x83, 0xa8, 0x02]])
  }

  @Test func `the twenty-ninth data processor gets no reply`() {
    var client = SimulatedBoardClient(.metaMotionRL)
    let counter = DataProcessor.create(
      .counter, on: Accelerometer(chip: .bmi160, revision: 2).source)
    for id in 0..<28 as Range<UInt8> {
      #expect(client.write(counter) == [[0x09, 0x02, id]])
    }
    #expect(client.write(counter) == [])
    #expect(client.board.complaints.count == 1)
    client.write(DataProcessor.remove(5))
    #expect(client.write(counter) == [[0x09, 0x02, 5]])
  }

  @Test func `an event whose parameters have not arrived does nothing`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    let parts = Event.record(Temperature.read(channel: 0), when: .switch)
    client.write(parts[0])
    client.board.setSwitch(isPressed: true, at: 1)
    #expect(client.wait(seconds: 2).isEmpty)
    #expect(client.board.complaints.first?.contains("never sent") == true)
  }

  @Test func `samples can be stamped with the board's ticks instead of being counted`() throws {
    var client = SimulatedBoardClient(.metaMotionRL, clockFactor: 1)
    let sensor = Accelerometer(chip: .bmi160, revision: 2)
    let id = try client.id(client.write(DataProcessor.create(.timestamp, on: sensor.source)))
    client.write(DataProcessor.subscribe(id), DataProcessor.enableNotifications)
    try client.start(sensor, rate: 50, range: 8, subscribing: nil)
    let ticks = client.wait(seconds: 2).map { $0.bytes.span.uint32(at: 3) }
    let steps = zip(ticks.dropFirst(), ticks).map { $0.0 - $0.1 }
    // An interval of 20 ms is 13.65 ticks long.
    #expect(steps.allSatisfy { $0 == 13 || $0 == 14 })
    #expect((98...100).contains(ticks.count))
  }
}
