import MetaWearProtocol
import TestSupport
import Testing

/// The example from the library's documentation.
@Suite(.computation) struct ExampleTests {
  @Test func `the example in MetaWearProtocol's documentation runs`() throws {
    let samples = Accelerometer(chip: .bmi270, revision: 0).samples
    try #require(StreamDecoder(samples, layout: .single) != nil)
    let sensor = Accelerometer(chip: .bmi270, revision: 0)
    guard var decoder = StreamDecoder(sensor.samples, layout: .single) else { return }
    var batch = SampleBatch()
    let packet: [UInt8] = [0x03, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10]
    try decoder.decode(packet.span, into: &batch)
    let sample = batch[0]
    #expect(batch.count == 1)
    #expect(sample.counter == 0)
    #expect([sample.x, sample.y, sample.z] == [0, 0, 4_096])
  }
}
