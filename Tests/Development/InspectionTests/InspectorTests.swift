import MetaWearProtocol
import TestSupport
import Testing
import Values

@testable import Inspection

/// Knowledge that the inspector carries over from one packet to the next.
@Suite(.computation) struct InspectorTests {
  private func explain(_ lines: String, on model: Model? = nil) -> [Explanation] {
    var inspector = model.map(Inspector.of) ?? Inspector()
    return inspector.explain(lines: lines)
  }

  @Test func `module information decides whether the packet 13 05 contains one sample or three`() {
    let packet = "< 13 05 a40000000000 000000000000 000000000000"
    let old = explain("> 13 80\n< 13 80 00 01\n> 13 05 01\n\(packet)")
    #expect(old[3].statement.sentence == "one sample")
    #expect(old[3].statement.remarks == ["12 surplus bytes: 00 00 00 00 00 00 00 00 00 00 00 00"])
    let new = explain("> 13 80\n< 13 80 01 00\n> 13 05 01\n\(packet)")
    #expect(new[3].statement.sentence == "three samples, oldest first")
    #expect(new[3].statement.remarks == [])
  }

  @Test func `without module information a chip is assumed, and the assumption is reported`() {
    let explanations = explain("> 13 05 01\n> 13 03 28 00")
    #expect(explanations[0].assumptions == ["the gyroscope is a BMI270"])
    #expect(explanations[1].statement.sentence == "sets 100 Hz, ±2000 deg/s")
  }

  @Test func `a setting that only one chip has identifies that chip`() {
    let explanations = explain("> 03 03 28 05\n< 03 04 0020 0000 0000\n> 13 05 01")
    #expect(explanations[0].statement.sentence == "sets 100 Hz, ±4 g")
    #expect(
      explanations[0].assumptions
        == ["the accelerometer is a BMI160, the only chip with this setting"]
    )
    #expect(explanations[1].values == "x 1 g, y 0 g, z 0 g")
    #expect(explanations[1].assumptions == [])
    #expect(explanations[2].statement.sentence == "subscribes to angular velocity")
  }

  @Test func `a setting for another chip is rejected with the name of that chip`() {
    let explanation = explain("> 03 03 28 03", on: .metaMotionS)[0]
    #expect(!explanation.isUnderstood)
    #expect(explanation.statement.remarks == ["to a BMI160 it would mean: sets 100 Hz, ±2 g"])
  }

  @Test func `samples are scaled by the range last written or read`() {
    let explanations = explain(
      """
      < 03 04 0010 0000 0000
      > 03 03 a8 00
      < 03 04 0010 0000 0000
      < 03 83 a8 03
      < 03 04 0010 0000 0000
      """, on: .metaMotionS)
    #expect(explanations[0].values == "x 1 g, y 0 g, z 0 g")
    #expect(
      explanations[0].assumptions == [
        "the accelerometer's range is ±8 g, its default after a reset"
      ])
    #expect(explanations[2].values == "x 0.25 g, y 0 g, z 0 g")
    #expect(explanations[4].values == "x 2 g, y 0 g, z 0 g")
    #expect(explanations[4].assumptions == [])
  }

  @Test
  func `a numbered packet is explained with its number, and a jump in the numbers with the loss`() {
    let explanations = explain(
      """
      > 03 03 a8 02
      > 09 02 03 04 ff a0 10 05 01
      < 09 02 00
      > 09 02 09 03 00 a0 11 30 03
      < 09 02 01
      > 09 03 01
      > 09 07 01 01
      < 09 03 01 05000000 001000000000 000000100000
      < 09 03 01 08000000 001000000000 000000100000
      """, on: .metaMotionS)
    #expect(
      explanations[4].statement.sentence
        == "processor 1 was created: puts a count of 4 bytes before each input, on processor 0 "
        + "(packs 2 inputs of 6 bytes)")
    #expect(
      explanations[7].values
        == "count 5; sample 1: x 1 g, y 0 g, z 0 g; sample 2: x 0 g, y 1 g, z 0 g")
    #expect(explanations[7].statement.remarks == [])
    #expect(
      explanations[8].statement.remarks == ["2 outputs of this processor lost before this one"])
  }

  @Test func `the inspector follows chains of processors and derives the units of their outputs`() {
    let explanations = explain(
      """
      > 03 03 28 03
      > 09 02 03 04 ff a0 07 a5 01
      < 09 02 00
      > 09 02 09 03 00 20 03 05 04
      < 09 02 01
      > 09 02 04 c1 00 20 11 31 03
      < 09 02 02
      > 09 02 01 01 ff 00 02 10
      < 09 02 03
      < 09 03 01 0040
      < 09 03 02 00000100 ac00
      < 09 03 03 07
      < 09 03 09 07
      """, on: .metaMotionRL)
    #expect(explanations[9].values == "rss 1 g")
    #expect(explanations[10].values == "tick 65536 ticks, temperature 21.5 °C")
    #expect(explanations[11].values == "events 7")
    #expect(explanations[12].values == "bytes 07")
    #expect(
      explanations[12].statement.remarks.first
        == "the function of processor 9 is not in this capture")
  }

  @Test func `a fuser's output is explained with the values of the fuser's buffers`() {
    let explanations = explain(
      """
      > 03 03 28 03
      > 13 03 28 00
      > 09 02 13 05 ff a0 0f 05
      < 09 02 00
      > 09 02 03 04 ff a0 1b 01 00
      < 09 02 01
      < 09 03 01 004000000000 a40000000000
      """, on: .metaMotionRL)
    #expect(
      explanations[6].values == "x 1 g, y 0 g, z 0 g, x 10 deg/s, y 0 deg/s, z 0 deg/s")
  }

  @Test func `a cycle of processors does not put the inspector into an endless loop`() {
    let explanations = explain(
      """
      > 09 02 09 03 01 20 11 30 03
      < 09 02 00
      > 09 02 09 03 00 20 11 30 03
      < 09 02 01
      < 09 03 01 01000000 02
      """)
    #expect(explanations[4].values == "bytes 01 00 00 00 02")
  }

  @Test func `a log download's entries are joined and dated`() {
    let explanations = explain(
      """
      > 03 03 a8 02
      > 0b 02 03 04 ff 60
      < 0b 02 00
      > 0b 02 03 04 ff 24
      < 0b 02 01
      > 0b 84
      < 0b 84 00000100 05
      > 0b 07 01
      < 0b 07 a0 00800000 00100000 a1 01800000 00f00000
      < 0b 07 a7 00800000 00100000
      """, on: .metaMotionS)
    #expect(
      explanations[4].statement.sentence
        == "trigger 1 was created: records bytes 4 to 5 of acceleration")
    #expect(
      explanations[8].values == """
        entry 1: trigger 0, records bytes 0 to 3 of acceleration, since_reset 48 s, reset_uid 5, \
        data 00 10 00 00, before_clock 48 s; \
        entry 2: trigger 1, records bytes 4 to 5 of acceleration, since_reset 48.001465 s, \
        reset_uid 5, data 00 f0, before_clock 47.998535 s; acceleration: x 1 g, y 0 g, z -1 g
        """)
    #expect(
      explanations[9].statement.remarks == ["the signal of this trigger is not in this capture"])
  }

  @Test func `triggers and processors are explained once they have been queried`() {
    let explanations = explain(
      """
      > 0b 82 03
      < 0b 82 04 c1 01 20
      > 09 82 02
      < 09 82 01 01 ff 00 02 10
      < 0b 07 03 00000000 ac000000
      < 09 03 02 05
      """, on: .metaMotionS)
    #expect(
      explanations[1].statement.sentence
        == "trigger 3 records temperature of channel 1, read silently")
    #expect(explanations[4].values.hasSuffix("read silently: temperature 21.5 °C"))
    #expect(explanations[5].values == "events 5")
  }

  @Test func `an event is explained with its source and its command`() {
    let explanations = explain(
      """
      > 0a 02 11 0a ff 03 01 01
      > 0a 03 00
      < 0a 02 04
      > 0c 02 88130000 ffff 00
      < 0c 02 00
      > 0a 02 0c 06 00 04 81 01 03 00
      > 0a 03 01
      < 0a 02 05
      > 0a 04 04
      < 0c 06 00
      """, on: .metaMotionS)
    #expect(
      explanations[1].statement.sentence
        == "completes the event: at a disconnect, 03 01 00 (accelerometer: stops measuring)")
    #expect(
      explanations[2].statement.sentence
        == "event 4 was created: at a disconnect, 03 01 00 (accelerometer: stops measuring)")
    #expect(
      explanations[5].statement.remarks == [
        "copies 1 byte of the source's value, starting at byte 0, to the parameters, starting at byte 0"
      ])
    #expect(
      explanations[7].statement.sentence
        == "event 5 was created: at timer 0, 04 81 01 (temperature: asks for the temperature of "
        + "channel 1 (a thermistor on the board))")
    #expect(
      explanations[8].statement.sentence
        == "removes event 4 (at a disconnect, 03 01 00 (accelerometer: stops measuring))")
    #expect(explanations[9].statement.sentence == "timer 0 (every 5000 ms) fired")
  }

  @Test func `a macro is explained with its commands, including a long command in two parts`() {
    let explanations = explain(
      """
      > 0f 02 01
      < 0f 02 00
      > 0f 03 11 01 41 42
      > 0f 09 02 03
      > 0f 03 00 02 1f 00 0000 3200 0000 f401 0000 ff
      > 0f 04
      """, on: .metaMotionS)
    #expect(
      explanations[2].statement.sentence
        == "stores the command 11 01 41 42 (settings: sets the name 'AB')")
    #expect(
      explanations[4].statement.sentence
        == "stores the command 02 03 00 02 1f 00 00 00 32 00 00 00 f4 01 00 00 ff "
        + "(LED: stores a pattern of green light, forever)")
  }

  @Test
  func `an unrequested packet is reported once, and never if the capture contains no commands`() {
    let asked = explain("> 03 80\n< 11 8c 63 3410\n< 11 8c 63 3410\n< 01 01 01")
    #expect(asked[1].statement.remarks == ["a reply to a read that is not in this capture"])
    #expect(asked[2].statement.remarks == [])
    #expect(
      asked[3].statement.remarks == [
        "its subscription is not in this capture; subscriptions outlive a connection"
      ])
    #expect(explain("< 11 8c 63 3410")[0].statement.remarks == [])
  }

  @Test
  func `without an arrow, the direction is inferred; if both are possible, a remark says so`()
    throws
  {
    let explanations = explain("0b 84\n0b84 12340000 02\n01 01 01\n02 02 07", on: .metaMotionS)
    try #require(explanations.map(\.direction) == [.toBoard, .fromBoard, .toBoard, .toBoard])
    #expect(explanations.allSatisfy { $0.isDirectionAssumed })
    #expect(
      explanations[2].statement.remarks == ["from the board it would mean: the button is pressed"])
    #expect(explanations.map(\.isUnderstood) == [true, true, true, false])
  }

  @Test func `boards on different links are kept separate`() {
    var inspector = Inspector()
    func explain(_ link: UInt32, _ packet: String) -> Explanation {
      let item = Case(packet, "")
      return inspector.explain(
        CapturedPacket(
          place: .record(1), link: link, direction: item.captured.direction,
          bytes: item.captured.bytes))
    }
    _ = explain(64, "< 03 80 01 02")
    _ = explain(65, "< 03 80 04 00")
    #expect(explain(64, "> 03 03 28 03").statement.sentence == "sets 100 Hz, ±2 g")
    #expect(explain(65, "> 03 03 a8 02").statement.sentence == "sets 100 Hz, ±8 g")
    #expect(!explain(65, "> 03 03 28 03").isUnderstood)
  }

  @Test func `each packet is classified by its kind, such as read, reply or notification`() {
    let explanations = explain(
      """
      > 11 8c
      < 11 8c 63 3410
      > 04 c1 00
      > 03 04 01
      > 03 04 00
      < 03 04 0000 0000 0000
      > 03 01 01
      > 09 07 01 01
      > 0c 07 00 00
      """, on: .metaMotionS)
    #expect(
      explanations.map(\.kind) == [
        .read, .reply, .silentRead, .subscribe, .unsubscribe, .notification, .write, .subscribe,
        .unsubscribe,
      ])
  }

  @Test func `a packet's JSON object contains every member of the schema`() {
    let explanation = explain("12.5 < 11 8c 63 3410", on: .metaMotionS)[0]
    #expect(
      explanation.json.text == """
        {"line":1,"time":"12.5","direction":"from_board","direction_assumed":false,\
        "bytes":"118c633410","module":"settings","register":"battery","kind":"reply",\
        "understood":true,"meaning":"battery state",\
        "values":[{"name":"charge","value":99,"unit":"%"},\
        {"name":"voltage","value":4148,"unit":"mV"}],"assumptions":[],"remarks":[]}
        """)
  }
}
