import Foundation
import LinuxSystem
import Web
import TestSupport
import Testing

/// QR codes are read by an independent program: zbar from Debian's package zbar-tools.
@Suite(.realTime) struct CodeReaderTests {
  private static let reader = ChildProcess.locate("zbarimg")

  @Test(
    .enabled(if: reader != nil, "zbarimg is not installed: bash .ci/setup --tests"),
    arguments: [
      "http://192.168.4.1:8080/", "http://[fd00::4:1]:8080/", "http://trail-1.local:8080/", "é🦶",
      String(repeating: "https://walks.example.org/", count: 7),
    ])
  func `the text in every drawing of a QR code can be read`(_ text: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/code.pgm"
    let code = try #require(QRCode(text), "libqrencode is not installed: bash .ci/setup")
    for drawing in QRCode.Drawing.allCases {
      for ground in QRCode.Background.allCases {
        let drawn = DrawnCode(code.text(drawing, on: ground), drawing, on: ground)
        try Data(drawn.picture(scale: 6)).write(to: URL(filePath: path))
        let outcome = try await Program.run(
          try #require(Self.reader), ["--quiet", "--raw", path])
        #expect(outcome.output == text + "\n", "\(drawing) on \(ground): \(outcome.errors)")
      }
    }
  }
}
