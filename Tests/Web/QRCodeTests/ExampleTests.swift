import QRCode
import TestSupport
import Testing

/// The example of the library's documentation.
@Suite(.computation) struct ExampleTests {
  @Test func `the example of QRCode runs`() {
    let code = QRCode("http://192.168.4.1:8080/")
    let picture = code?.text(.blocks, on: .dark)
    #expect(picture?.isEmpty == false)
  }
}
