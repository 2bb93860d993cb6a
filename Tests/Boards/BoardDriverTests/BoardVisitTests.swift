import BoardDriver
import LinuxSystem
import MetaWearProtocol
import Recording
import RingBuffer
import Simulation
import TestSupport
import Testing

/// Short connections to a simulated board over a socket.
@Suite(.computation) struct BoardVisitTests {
  private func reader() throws -> ReaderThread {
    let ends = Ring<Reading>.make(capacity: 16)
    return try ReaderThread(into: ends.producer, bell: try WakeUp())
  }

  @Test(arguments: BoardModel.all)
  func `a board reports its model, firmware and modules`(_ model: BoardModel) async throws {
    let link = try PlainLink(model)
    let reader = try reader()
    let visit = BoardVisit(link: link, reader: reader)
    try await visit.open()
    let profile = try await visit.identify()
    await visit.leave()
    reader.stop()
    #expect("\(profile.model)" == model.name)
    #expect(profile.firmware == model.firmwareRevision)
    #expect(profile.modules == model.modules)
    #expect(link.complaints == [])
  }

  @Test
  func `a board blinks and vibrates on command`() async throws {
    let link = try PlainLink()
    let reader = try reader()
    let visit = BoardVisit(link: link, reader: reader)
    try await visit.open()
    #expect(try await visit.modules(among: [.led, .haptic]).modules == [.led, .haptic, .settings])
    try await visit.perform([LED.stopAndClear, LED.blink(.green, repetitions: 20), LED.play])
    #expect(link.look { $0.shiningLights } == [.green])
    try await visit.perform([Haptic.motor(percent: 100, milliseconds: 1_000).command])
    #expect(
      link.look { $0.haptic(at: 0) } == Haptic.motor(percent: 100, milliseconds: 1_000))
    await visit.leave()
    reader.stop()
    #expect(link.complaints == [])
  }

  @Test
  func `a reset waits until the board has ended the link`() async throws {
    let link = try PlainLink()
    let reader = try reader()
    let visit = BoardVisit(link: link, reader: reader)
    try await visit.open()
    #expect(try await visit.reset(within: 30))
    await visit.leave()
    reader.stop()
  }

  @Test func `if the link breaks during identification, the link's error is thrown`() async throws {
    let link = try PlainLink { $0 == Command.readModuleInfo(.led).bytes }
    let reader = try reader()
    let visit = BoardVisit(link: link, reader: reader)
    try await visit.open()
    await #expect(throws: PlainLink.Broken.self) { try await visit.identify() }
    await visit.leave()
    reader.stop()
  }
}
