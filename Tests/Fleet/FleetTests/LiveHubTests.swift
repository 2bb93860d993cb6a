import HTTPServer
import Sharing
import Fleet
import TestSupport
import Testing
import Values

@Suite(.realTime, .enabled(if: Mosquitto.isInstalled, Mosquitto.absence)) struct LiveHubTests {
  @Test func `the number of readers is limited, and a reader that leaves frees its slot`()
    async throws
  {
    let hub = try LiveHub(fleets: ["study"], gateways: [:]) { _ in }
    var streams: [any ServerStream] = []
    while let stream = hub.stream(forToken: []) { streams.append(stream) }
    #expect(streams.count == 32)
    #expect(
      streams[0].next(upTo: 10).map { String(decoding: $0, as: UTF8.self) } == "event: rea")
    #expect(
      streams[0].next(upTo: 99).map { String(decoding: $0, as: UTF8.self) } == "dy\ndata: {}\n\n")
    #expect(streams[0].next(upTo: 99) == [])
    streams[0].end()
    #expect(hub.stream(forToken: []) != nil)
    hub.stop()
  }

  @Test
  func `a gateway that has moved to another fleet stays there after its former fleet removes it`()
    throws
  {
    let hub = try LiveHub(
      fleets: ["study", "pilot"], gateways: ["walker": UniqueID(high: 1, low: 2)]
    ) { _ in }
    let reader = try #require(hub.stream())
    func told() -> String {
      var text = ""
      while let bytes = reader.next(upTo: 10_000), !bytes.isEmpty {
        text += String(decoding: bytes, as: UTF8.self)
      }
      return text
    }
    func tell(_ fleet: String, _ state: String?) {
      let payload = state.map {
        #"{"format":1,"state":"\#($0)","works":true,"version":"1","boards":[],"#
          + #""waiting_chunks":0,"sent":"2026-11-26T08:00:00Z","expires":"2026-11-26T08:01:00Z","#
          + #""clock_synchronised":true}"#
      }
      hub.take(
        .message(
          topic: "footbridge/\(fleet)/walker/status", payload: Array((payload ?? "").utf8),
          isRetained: false))
    }
    tell("study", "recording")
    #expect(told().contains(#""fleet":"study""#))
    tell("pilot", "recording")
    tell("study", nil)
    let moved = told()
    #expect(moved.contains(#""fleet":"pilot""#) && !moved.contains("event: gone"))
    tell("pilot", nil)
    #expect(told().contains("event: gone"))
    hub.stop()
  }
}
