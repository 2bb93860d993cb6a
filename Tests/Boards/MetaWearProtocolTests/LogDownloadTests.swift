import MetaWearProtocol
import TestSupport
import Testing

@Suite(.computation) struct LogDownloadTests {
  static let halves = [
    LogTrigger(id: 0, source: SignalSource(.accelerometer, 0x04, length: 4)),
    LogTrigger(id: 1, source: SignalSource(.accelerometer, 0x04, length: 2, offset: 4)),
  ]

  func entry(_ trigger: UInt8, _ tick: UInt32, _ data: UInt32, uid: UInt8 = 5) -> LogEntry {
    LogEntry(trigger: trigger, resetUID: uid, tick: tick, data: data)
  }

  func sample(_ outcome: LogAssembler.Outcome) -> LogAssembler.Sample? {
    guard case .sample(let sample) = outcome else { return nil }
    return sample
  }

  @Test func `the halves of a logged sample are paired in order of arrival, whatever their ticks`()
  {
    var assembler = LogAssembler(Self.halves)
    #expect(assembler.add(entry(1, 10, 0xffff_0005)) == .waiting)
    #expect(assembler.add(entry(1, 10, 6)) == .waiting)
    let first = sample(assembler.add(entry(0, 11, 0x0002_0001)))
    #expect(first?.bytes == hex("0100 0200 0500"))
    #expect(first?.tick == 11)
    #expect(first?.resetUID == 5)
    let second = sample(assembler.add(entry(0, 11, 0x0004_0003)))
    #expect(second?.bytes == hex("0300 0400 0600"))
    // The other half of the last sample is missing.
    #expect(assembler.add(entry(0, 12, 0)) == .waiting)
  }

  @Test func `a log entry from an unknown trigger is reported as unknown`() {
    var assembler = LogAssembler(Self.halves)
    #expect(assembler.add(entry(3, 1, 0)) == .unknown)
  }

  @Test func `samples stored before the link was lost are not stored twice`() {
    var assembler = LogAssembler(
      Self.halves,
      after: LogAssembler.Checkpoint(newest: [entry(0, .max, 0), entry(1, .max, 0)]))
    #expect(assembler.add(entry(0, .max - 5, 0)) == .repeated)
    #expect(assembler.add(entry(1, .max, 0)) == .repeated)
    // The clock has wrapped. An entry logged after a reset is later than any entry logged before
    // the reset.
    #expect(assembler.add(entry(0, 3, 1)) == .waiting)
    #expect(sample(assembler.add(entry(1, 3, 2)))?.bytes == hex("0100 0000 0200"))
    #expect(assembler.add(entry(0, 0, 3, uid: 6)) == .waiting)
    #expect(sample(assembler.add(entry(1, 0, 4, uid: 6)))?.bytes == hex("0300 0000 0400"))
  }

  /// The page ends between two samples with tick 5.
  @Test func `among samples with the same tick, only the stored ones are dropped`() {
    var assembler = LogAssembler(Self.halves)
    for data in 1...2 as ClosedRange<UInt32> {
      for trigger in 0...1 as ClosedRange<UInt8> {
        #expect(assembler.add(entry(trigger, 3 + data, data)) != .repeated)
      }
    }
    let checkpoint = assembler.checkpoint
    #expect(checkpoint.newest == [entry(0, 5, 2), entry(1, 5, 2)])
    let page = [entry(0, 4, 1), entry(1, 4, 1), entry(0, 5, 2), entry(1, 5, 2)]
    for again in [page, Array(page.suffix(2)), []] {
      var assembler = LogAssembler(Self.halves, after: checkpoint)
      for entry in again { #expect(assembler.add(entry) == .repeated) }
      #expect(assembler.add(entry(0, 5, 3)) == .waiting)
      // An entry with the same bytes as the previous one.
      #expect(sample(assembler.add(entry(1, 5, 2)))?.bytes == hex("0300 0000 0200"))
      #expect(
        assembler.checkpoint.newest
          == [entry(0, 5, 2), entry(0, 5, 3), entry(1, 5, 2), entry(1, 5, 2)])
      #expect(assembler.add(entry(0, 6, 4)) == .waiting)
      #expect(assembler.checkpoint.newest.first == entry(0, 6, 4))
    }
  }

  @Test func `half a sample from before a reset is not joined with half a sample from after it`() {
    var assembler = LogAssembler(Self.halves)
    #expect(assembler.add(entry(0, 900, 1)) == .waiting)
    for var assembler in [assembler, LogAssembler(Self.halves, after: assembler.checkpoint)] {
      #expect(assembler.add(entry(0, 7, 3, uid: 6)) == .waiting)
      let first = sample(assembler.add(entry(1, 7, 4, uid: 6)))
      #expect(first?.bytes == hex("0300 0000 0400"))
      #expect(first?.resetUID == 6)
      #expect(assembler.checkpoint.waiting == [])
    }
    // Other signals are not affected.
    let temperature = LogTrigger(id: 2, source: SignalSource(.temperature, 0x01, length: 2))
    var both = LogAssembler(Self.halves + [temperature])
    #expect(both.add(entry(0, 900, 1)) == .waiting)
    #expect(sample(both.add(entry(2, 1, 8, uid: 6)))?.bytes == hex("0800"))
    #expect(both.checkpoint.waiting == [entry(0, 900, 1)])
  }

  @Test func `half a sample at the end of a page is stored and joined with its other half later`() {
    var download = LogDownload(LogAssembler(Self.halves), revision: 3)
    #expect(download.checkpoint == LogAssembler.Checkpoint())
    #expect(download.receive(.logEntries(entry(0, 1, 1), entry(1, 1, 2))).count == 1)
    #expect(download.receive(.logEntries(entry(0, 8, 3), entry(0, 9, 5))) == [])
    #expect(download.receive(.logPageComplete) == [.storeAndConfirm])
    let checkpoint = download.checkpoint
    #expect(
      checkpoint
        == LogAssembler.Checkpoint(
          newest: [entry(0, 9, 5), entry(1, 1, 2)], waiting: [entry(0, 8, 3), entry(0, 9, 5)]))
    // The next page had started but was not stored when the link dropped, so it is sent again. The
    // stored page is also sent again if its confirmation did not arrive.
    _ = download.receive(.logEntries(entry(1, 8, 4), nil))
    for wasConfirmed in [true, false] {
      var assembler = LogAssembler(Self.halves, after: checkpoint)
      #expect(assembler.checkpoint == checkpoint)
      if !wasConfirmed {
        for again in [entry(0, 1, 1), entry(1, 1, 2), entry(0, 8, 3), entry(0, 9, 5)] {
          #expect(assembler.add(again) == .repeated)
        }
      }
      #expect(sample(assembler.add(entry(1, 8, 4)))?.bytes == hex("0300 0000 0400"))
      #expect(sample(assembler.add(entry(1, 9, 6)))?.bytes == hex("0500 0000 0600"))
      #expect(assembler.checkpoint.waiting == [])
    }
  }

  @Test func `a stored half sample is ignored if its trigger has been removed`() {
    let checkpoint = LogAssembler.Checkpoint(waiting: [entry(7, 1, 1)])
    #expect(LogAssembler(Self.halves, after: checkpoint).checkpoint.waiting == [])
  }

  @Test
  func `triggers of one source form one signal, and its packet has the header of that source`()
    throws
  {
    let axis = LogTrigger(id: 2, source: SignalSource(.gyroscope, 0x05, length: 2, offset: 2))
    let assembler = LogAssembler([Self.halves[0], axis, Self.halves[1]])
    try #require(assembler.signals.map { $0.triggers.map(\.id) } == [[0, 1], [2]])
    try #require(assembler.signals.map(\.length) == [6, 2])
    #expect(assembler.signals[0].packet(holding: [1, 2, 3, 4, 5, 6]) == hex("03 04 010203040506"))
    let polled = LogAssembler([
      LogTrigger(
        id: 0,
        source: SignalSource(
          PacketHeader(.temperature, 0x01, isRead: true, isSilent: true), index: 1, length: 2))
    ])
    #expect(polled.signals[0].packet(holding: [0xa8, 0]) == hex("04 81 01 a800"))
  }

  @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2], [0, 2, 3, 1]])
  func `a quaternion is reassembled from its log entries, whatever the order of the triggers`(
    _ order: [Int]
  ) {
    let triggers = order.map { piece in
      LogTrigger(
        id: UInt8(piece), source: SignalSource(.sensorFusion, 0x07, length: 4, offset: 4 * piece))
    }
    var assembler = LogAssembler(triggers)
    #expect(assembler.signals.count == 1)
    for piece in 0..<3 as Range<UInt8> {
      #expect(assembler.add(entry(piece, 7, UInt32(piece) + 1)) == .waiting)
    }
    #expect(
      sample(assembler.add(entry(3, 7, 4)))?.bytes == hex("01000000 02000000 03000000 04000000"))
  }

  @Test
  func `if a trigger claims more bytes than a log entry contains, only the entry's bytes are used`()
  {
    let wide = LogTrigger(id: 4, source: SignalSource(.accelerometer, 0x04, length: 8))
    var assembler = LogAssembler([wide])
    #expect(assembler.signals[0].length == 4)
    #expect(sample(assembler.add(entry(4, 1, 0x0403_0201)))?.bytes == hex("01020304"))
  }

  @Test func `a download requests a page, stores it, confirms it, and ends`() {
    var download = LogDownload(LogAssembler(Self.halves), revision: 3, progressInterval: 20)
    #expect(
      download.begin.map(\.bytes) == ["0b 08 01", "0b 0d 01", "0b 07 01", "0b 85"].map(hex))
    #expect(
      download.receive(.logLength(414))
        == [.write(Logging.readOut(entries: 414, progressInterval: 20).command)])
    let kept = download.receive(.logEntries(entry(0, 1, 1), entry(1, 1, 2)))
    guard case .keep(let sample)? = kept.first, kept.count == 1 else {
      Issue.record("no sample: \(kept)")
      return
    }
    #expect(sample.bytes == hex("0100 0000 0200"))
    #expect(download.receive(.logEntries(entry(9, 1, 1), nil)) == [.report(entry(9, 1, 1))])
    #expect(download.receive(.logPageComplete) == [.storeAndConfirm])
    #expect(download.receive(.logProgress(entriesLeft: 17)) == [.show(entriesLeft: 17)])
    #expect(download.receive(.logProgress(entriesLeft: 0)) == [.drained])
    #expect(LogDownload.finish.map(\.bytes) == ["0b 09 ffffffff", "0b 0a"].map(hex))
    #expect(download.receive(.logLength(0)) == [.drained])
    #expect(download.receive(.switchState(isPressed: true)) == [])
  }

  @Test func `the ages of log entries are computed across a clock wrap, but not across a reset`() {
    let reference = TimeReference(tick: 1024, resetUID: 2)
    #expect(reference.millisecondsSince(tick: 0, resetUID: 2) == 1500)
    #expect(reference.millisecondsSince(tick: .max - 1023, resetUID: 2) == 3000)
    #expect(reference.millisecondsSince(tick: 0, resetUID: 3) == nil)
  }
}
