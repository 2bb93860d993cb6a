import BoardDriver
@testable import Gateway
import BlueZ
import LinuxSystem
import Recording
import RingBuffer
import Storage
import TestSupport
import Testing
import Values

@Suite(.realTime) struct LinkMeasurementTests {
  private static let identity = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "", firmware: "")

  @Test func `the recorder measures a board's link and the rate of its streams`() async throws {
    let folder = try TemporaryFolder()
    let readings = Ring<Reading>.make(capacity: 1 << 12)
    let positions = Ring<PositionReport>.make(capacity: 1 << 4)
    let recorder = try RecorderThread(
      readings: readings.consumer, positions: positions.consumer, onFirstSample: { _ in },
      onFailure: { _ in })
    let session = Session(bootID: try BootClock.bootID(), start: BootClock.now(), note: "")
    _ = try await recorder.open(.store(folder.path + "/store.sqlite"), for: session)
    let stream = StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 1, rate: 100, lossAccounting: .counted)
    await recorder.addBoard(0, Self.identity, [stream])
    // There is a packet every 10 ms and a connection event every 15 ms, so packets must wait for
    // the next connection event.
    var producer = readings.producer
    var previous = -1
    for counter in 0..<600 {
      let meeting = (counter * 10 + 14) / 15
      let delay = meeting == previous ? 0.0007 : 0
      let arrival = session.start.advanced(bySeconds: Double(meeting) * 0.015 + delay)
      previous = meeting
      let isPushed = producer.push(
        Reading(board: 0, stream: 0, arrival: arrival, counter: UInt32(counter)))
      #expect(isPushed)
    }
    let totals = await recorder.finish()
    let board = try #require(recorder.liveStatus.boards.first)
    let link = LinkReport(requested: .shared, achieved: board.link?.interval)
    #expect(link.text == "requested 15.0 ms / achieved 15.0 ms")
    let recorded = try #require(totals.streams.first)
    #expect(recorded.requestedText == "100.0 Hz")
    #expect(recorded.achievedText == "99.8 Hz")
  }

  @Test func `the number of boards on a board's adapter is known, even after boards move or leave`()
    throws
  {
    let places = LinkPlaces()
    let boards = (1...3).map { BoardAddress(value: $0) }
    #expect(places.company(of: boards[0]) == 0)
    for board in boards { places.note(board, on: "hci0") }
    try #require(boards.map(places.company) == [3, 3, 3])
    places.note(boards[2], on: "hci1")
    try #require(boards.map(places.company) == [2, 2, 1])
    #expect(places.place(of: boards[2])?.adapter == "hci1")
    places.note(boards[0], on: nil)
    try #require(boards.map(places.company) == [0, 1, 1])
    #expect(places.place(of: boards[0]) == nil)
  }
}
