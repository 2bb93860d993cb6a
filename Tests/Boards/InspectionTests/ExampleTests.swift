import Inspection
import TestSupport
import Testing

/// The example of the library's documentation.
@Suite(.computation) struct ExampleTests {
  @Test func `the example of Inspection runs`() {
    var reader = CaptureReader()
    var inspector = Inspector()
    var sentences: [String] = []
    for case .packet(let packet) in reader.read(Array("> 03 03 28 05\n".utf8)) {
      sentences.append(inspector.explain(packet).statement.sentence)
    }
    #expect(sentences == ["sets 100 Hz, ±4 g"])
  }
}
