import BoardDriver
@testable import CommandLineTool
@testable import Gateway
@testable import Terminal
import Recording
import TestSupport
import Testing
import Values

/// The summary of each stream that `record` and `stream` print before they exit.
@Suite(.computation) struct StreamTotalsTextTests {
  private static let board = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
    firmware: "1.7.2")

  private func text(
    lost: [LossReason: UInt64] = [:], estimated: UInt64 = 0, duplicates: UInt64 = 0
  ) -> StreamTotalsText {
    var totals = RecorderTotals()
    for (signal, range) in [("acceleration", 16.0), ("quaternion", nil)] {
      var stream = RecorderTotals.Stream(
        board: 0,
        description: StreamDescription(
          signal: signal, unit: "g", countsPerUnit: 2_048, range: range, rate: 100,
          lossAccounting: range == nil ? .estimated : .counted))
      stream.received = 1_234
      stream.stored = 1_230
      stream.chunks = 1
      if range != nil {
        stream.lost = lost
        stream.estimatedLoss = estimated
        stream.duplicates = duplicates
      }
      totals.streams.append(stream)
    }
    return StreamTotalsText(
      report: RecordingReport(
        session: UniqueID(high: 1, low: 2),
        boards: [
          RecordingReport.Board(
            number: 0, identity: Self.board, packets: ReaderCounts(), lostLinks: 0,
            diagnosis: PacketDiagnosis())
        ], totals: totals))
  }

  @Test func `a recording's summary is at most 80 columns wide`() {
    for line in text(lost: [.link: 1_234_567, .disconnected: 300], estimated: 300).recorded {
      #expect(TerminalText.width(of: line) <= 80, "\(line)")
    }
  }

  @Test
  func `losses while a link is down are marked as estimates, even for a stream with a counter`() {
    #expect(
      text(lost: [.link: 2, .disconnected: 300], estimated: 300).recorded == [
        "board  signal        range  received  stored  lost  certainty         chunks",
        "left   acceleration  ±16 g     1,234   1,230   302  partly estimated       1",
        "left   quaternion    –         1,234   1,230     0  estimated              1", "",
        "board  signal        requested  achieved", "left   acceleration   100.0 Hz   unknown",
        "left   quaternion     100.0 Hz   unknown",
      ])
    #expect(
      text(lost: [.disconnected: 300], estimated: 300).streamed == [
        "board  signal        range  received  lost  certainty",
        "left   acceleration  ±16 g     1,234   300  estimated",
        "left   quaternion    –         1,234     0  estimated",
      ])
    #expect(text(lost: [.link: 2]).streamed[1].hasSuffix("     2  counted"))
  }

  @Test func `the log uses the same words as the tables`() {
    let remarks = text(lost: [.link: 2, .disconnected: 300], estimated: 300).remarks
    #expect(remarks.map(\.event) == ["streamed", "streamed"])
    #expect(
      LogLine.text(remarks[0]).hasSuffix(
        #"signal=acceleration received=1234 lost=302 loss="partly estimated""#))
    #expect(LogLine.text(remarks[1]).hasSuffix("lost=0 loss=estimated"))
  }

  @Test func `repeated samples are reported only if there are any`() {
    #expect(text().repeats == [])
    #expect(
      text(duplicates: 1).repeats == [
        "C8:4B:AA:97:50:05: one sample arrived twice and was stored once"
      ])
    #expect(
      text(duplicates: 1_200).repeats == [
        "C8:4B:AA:97:50:05: 1,200 samples arrived twice and were stored once"
      ])
    #expect(LogLine.text(text(duplicates: 5).remarks[0]).hasSuffix(" repeated=5"))
  }
}
