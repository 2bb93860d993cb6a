import HTTPServer
import LinuxSystem
import Recording
import TestSupport
import Testing
import UploadServer
import Values

/// An intake whose chunks are stored on another computer, which responds only when a test permits
/// it.
private final class DistantIntake: SessionIntake, SharedIntake {
  private let asked: Guarded<Int>
  private let isOpen: StopFlag

  init(_ asked: Guarded<Int>, _ isOpen: StopFlag) {
    self.asked = asked
    self.isOpen = isOpen
  }

  func heldChunk(_ id: UniqueID, of caller: Caller) throws(StoreError) -> HeldChunk? {
    asked.withLock { $0 += 1 }
    return .elsewhere { [isOpen] in
      _ = await happens { isOpen.isRaised }
      return .success([1, 2, 3])
    }
  }

  func chunk(_ id: UniqueID) throws(StoreError) -> [UInt8]? { nil }
  func record(of session: UniqueID) throws(StoreError) -> SessionRecord? { nil }
  func track(of session: UniqueID, from first: Int) throws(StoreError) -> TrackPiece? { nil }
  func sessions(newest: Int) throws(StoreError) -> [HeldSession] { [] }
  func store(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] { [] }
  func store(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict { .stored }
  func store(_ piece: TrackPiece) throws(StoreError) -> IntakeVerdict { .stored }
}

@Suite(.realTime) struct DistantReadingTests {
  @Test func `a request for a chunk is rejected while 32 other chunks are being fetched remotely`()
    async throws
  {
    let asked = Guarded(0)
    let isOpen = StopFlag()
    let handler = try await UploadHandler(
      .everybody, bodyLimit: ServerLimits.patient.body, definitions: nil
    ) { DistantIntake(asked, isOpen) }
    let server = try HTTPServer(
      at: ListenAddress(host: "127.0.0.1", port: 0), limits: .patient, handler: handler)
    let path = "/v1/chunks/\(UniqueID(high: 1, low: 2))"
    var clients: [RawConnection] = []
    for _ in 0..<32 {
      let client = try RawConnection(port: server.address.port)
      client.send("GET", path)
      clients.append(client)
    }
    try await wait(for: "32 requests") { asked.withLock { $0 } == 32 }
    let refused = try RawConnection(port: server.address.port).ask("GET", path)
    #expect(refused?.status == 503)
    #expect(refused?.fields["retry-after"] == "2")
    let body = String(decoding: refused?.body ?? [], as: UTF8.self)
    #expect(body.contains("too many sealed chunks are being read"))
    isOpen.raise()
    for client in clients {
      let answer = client.answer()
      #expect(answer?.status == 200)
      #expect(answer?.body == [1, 2, 3])
    }
    server.stop()
    handler.stop()
  }
}
