import MetaWearProtocol
import TestSupport
import Testing

/// A board's built-in walking detector, which works without any stream.
@Suite(.computation) struct ActivityDetectionTests {
  @Test
  func `detection is enabled after subscribing, without enabling acceleration samples`() throws {
    let modules = try #require(ModuleTable.preset(for: .metaMotionS))
    let detection = try #require(modules.activityDetection)
    let on = detection.on.map(\.bytes)
    #expect(
      Array(on.suffix(4)) == [
        hex("03 0c 01"), hex("03 07 04 00"), hex("03 06 04 00"), hex("03 01 01"),
      ])
    #expect(!on.contains(hex("03 02 01 00")))
    let off = detection.off.map(\.bytes)
    #expect(Array(off.prefix(3)) == [hex("03 07 00 04"), hex("03 06 00 04"), hex("03 0c 00")])
    #expect(off.contains(hex("03 01 00")))
  }

  @Test(arguments: [Model.metaMotionR, .metaMotionRL, .metaMotionC, .metaWearC])
  func `boards without a BMI270 have no activity detection`(model: Model) throws {
    let modules = try #require(ModuleTable.preset(for: model))
    #expect(modules.activityDetection == nil)
  }
}
