import MetaWearProtocol
import TestSupport
import Testing
import Values

@testable import Inspection

/// Explanations of single packets of every module.
@Suite(.computation) struct ExplanationTests {
  private func expect(_ item: Case, on model: Model) {
    var inspector = Inspector.of(model)
    let explanation = inspector.explain(item.captured)
    #expect(explanation.isUnderstood)
    #expect(explanation.statement.sentence == item.meaning)
    #expect(explanation.values == item.values)
    #expect(explanation.allRemarks == item.remarks)
    #expect(explanation.module != nil)
    #expect(explanation.register != nil)
  }

  @Test(arguments: Cases.bmi160) func `packets of the MetaMotion RL are explained`(_ item: Case) {
    expect(item, on: .metaMotionRL)
  }

  @Test(arguments: Cases.metaMotionS) func `packets of the MetaMotion S are explained`(_ item: Case)
  {
    expect(item, on: .metaMotionS)
  }

  @Test(arguments: Cases.mma8452q) func `packets of the MetaWear R are explained`(_ item: Case) {
    expect(item, on: .metaWearR)
  }

  @Test(arguments: Cases.bma255) func `packets of the MetaEnvironment are explained`(_ item: Case) {
    expect(item, on: .metaEnvironment)
  }

  @Test(arguments: Cases.small)
  func `the switch, lights, thermometers, pins and buses are explained`(
    _ item: Case
  ) {
    expect(item, on: .metaMotionS)
  }

  @Test(arguments: Cases.fusion) func `sensor fusion is explained`(_ item: Case) {
    expect(item, on: .metaMotionRL)
  }

  @Test(arguments: Cases.settings) func `the settings and debug modules are explained`(_ item: Case)
  {
    expect(item, on: .metaMotionS)
  }

  @Test(arguments: Cases.resources)
  func `timers, events, macros, the log and data processors are explained`(
    _ item: Case
  ) {
    expect(item, on: .metaMotionS)
  }

  static let all: [Case] =
    Cases.bmi160 + Cases.metaMotionS + Cases.mma8452q + Cases.bma255 + Cases.small + Cases.fusion
    + Cases.settings + Cases.resources

  @Test func `the test tables cover every module except the two undocumented ones`() {
    let modules = Set(Self.all.compactMap { ModuleID(rawValue: $0.captured.bytes[0]) })
    #expect(Set(ModuleID.allCases).subtracting(modules) == [.notificationCentre, .conductance])
  }

  @Test(arguments: [Model.metaMotionS, .metaMotionRL, .metaWearR, .metaEnvironment, nil])
  func `every prefix of every packet is explained, in both directions and for every model`(
    _ model: Model?
  ) {
    for item in Self.all {
      let bytes = item.captured.bytes
      // A single inspector explains all prefixes, so it interprets truncated packets using what it
      // learned from complete ones.
      var inspector = model.map(Inspector.of) ?? Inspector()
      for length in 0...bytes.count {
        for direction in [Direction.toBoard, .fromBoard] {
          let explanation = inspector.explain(
            CapturedPacket(
              place: .line(1), direction: direction, bytes: Array(bytes.prefix(length))))
          #expect(!explanation.statement.sentence.isEmpty)
          if length < 2 { #expect(!explanation.isUnderstood) }
        }
      }
    }
  }

  @Test func `any sequence of bytes is explained`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var state = seed
    func next() -> UInt8 {
      // Knuth's constants for a linear congruential generator. The upper bits are used because they
      // are the most random.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(state >> 56)
    }
    var inspector = Inspector()
    for _ in 0..<1_000 {
      let length = Int(next()) % 24
      var bytes = (0..<length).map { _ in next() }
      // Mostly real modules and low registers, because others would be rejected early.
      if length > 1, bytes[0] < 240 {
        bytes[0] %= 0x1a
        bytes[1] = bytes[1] & 0x80 | bytes[1] % 0x20
      }
      let explanation = inspector.explain(
        CapturedPacket(
          place: .line(1), link: UInt32(length % 2),
          direction: next() < 128 ? .toBoard : .fromBoard, bytes: bytes))
      #expect(!explanation.statement.sentence.isEmpty)
      #expect(!explanation.json.text.isEmpty)
    }
  }
}

/// Malformed packets, each with the reason that is reported.
@Suite(.computation) struct MisunderstandingTests {
  struct Wrong: Sendable {
    let packet: String
    let reason: String
  }

  static let cases = [
    Wrong(packet: "> 03", reason: "a packet must have at least 2 bytes: module and register"),
    Wrong(packet: "> 2a 01", reason: "no module has the number 2a"),
    Wrong(packet: "> 01 0f 01", reason: "unknown register"),
    Wrong(packet: "> 02 03 00 02 1f", reason: "truncated: expected 17 bytes, found 5"),
    Wrong(packet: "> 0b 06 05000000", reason: "truncated: expected 10 bytes, found 6"),
    Wrong(packet: "> 12 04 01 01 00", reason: "1 surplus byte: expected 4, found 5"),
    Wrong(
      packet: "> 03 03 a8 07",
      reason: "byte 3 is 07, a reserved value; known values are 00 01 02 03"),
    Wrong(
      packet: "> 15 03 08",
      reason: "byte 2 is 08, a reserved value; known values are 00 01 02 03 04 05 06 07"),
    Wrong(packet: "< 11 8c 63", reason: "truncated: expected 5 bytes, found 3"),
    Wrong(packet: "< 03 04 0000 0000 00", reason: "truncated: expected 8 bytes, found 7"),
    Wrong(
      packet: "< 19 07 0000c07f 00000000 00000000 00000000", reason: "non-finite number at byte 2"),
    Wrong(
      packet: "< 02 03 00", reason: "no known packet from this register looks like this"),
    Wrong(
      packet: "> 02 03 00 02 1f 00 d502 f401 d502 d007 0000 ff 00 00 00 00",
      reason: "21 bytes; a board accepts at most 20"),
  ]

  @Test(arguments: cases) func `a malformed packet is rejected with the reason`(
    _ wrong: Wrong
  ) {
    var inspector = Inspector.of(.metaMotionS)
    let explanation = inspector.explain(Case(wrong.packet, "").captured)
    #expect(!explanation.isUnderstood)
    #expect(explanation.statement.sentence == "not understood: \(wrong.reason)")
  }

  @Test func `surplus bytes of a notification are reported and do not change its meaning`() {
    var inspector = Inspector.of(.metaMotionS)
    let explanation = inspector.explain(Case("< 11 8c 63 3410 aa bb", "").captured)
    #expect(explanation.isUnderstood)
    #expect(explanation.values == "charge 99 %, voltage 4148 mV")
    #expect(explanation.statement.remarks == ["2 surplus bytes: aa bb"])
  }

  @Test func `a register that the board lacks is explained with a remark`() {
    var inspector = Inspector()
    let explanations = inspector.explain(
      lines: """
        > 19 80
        < 19 80 00 01
        > 19 0f 01
        > 12 80
        < 12 80
        > 12 04 01 01
        """)
    #expect(explanations.allSatisfy { $0.isUnderstood })
    #expect(
      explanations[2].statement.remarks == [
        "this register needs revision 3 of the module, but the board has 1"
      ])
    #expect(explanations[5].statement.remarks == ["the board has no barometer module"])
  }
}
