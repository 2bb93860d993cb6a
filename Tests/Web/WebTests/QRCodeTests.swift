import CLate
import Web
import TestSupport
import Testing

@Suite(.computation) struct QRCodeTests {
  struct Text: CustomTestStringConvertible {
    var drawing: QRCode.Drawing
    var ground: QRCode.Background
    var testDescription: String { "\(drawing) on \(ground)" }

    static let all = QRCode.Drawing.allCases.flatMap { drawing in
      QRCode.Background.allCases.map { Text(drawing: drawing, ground: $0) }
    }
  }

  private static func code(_ text: String) throws -> QRCode {
    try #require(QRCode(text), "libqrencode is not installed: bash .ci/setup")
  }

  /// The QR code of the address below, made by another program: qrcode 8.2 from PyPI, with version
  /// 2, level M and mask 2. Each of the eight masks yields a valid code, and programs choose
  /// different ones.
  private static let known = """
    #######...###.#...#######
    #.....#..##.#..#..#.....#
    #.###.#.####..#.#.#.###.#
    #.###.#.##...#....#.###.#
    #.###.#.##.####...#.###.#
    #.....#.#..#.#.#..#.....#
    #######.#.#.#.#.#.#######
    ........#......##........
    #.#####..#..##.##.#####..
    #####....######..#.....#.
    #.##..##.#..#..#..##.#.##
    ####.#..#..#....#...#...#
    ###.###.####.#....###.###
    ##.###.#..#.#.#......#.#.
    #.#.#.####.....#.#.#.#.##
    #..#...##.#.#..#.....#..#
    #..#.##.###.##..#####.#..
    ........###..##.#...###..
    #######....##...#.#.#####
    #.....#.##.#...##...##..#
    #.###.#.######.########..
    #.###.#.#...#.###.###.###
    #.###.#.##.......#....#.#
    #.....#...##....#.####..#
    #######.######.#.########
    """

  @Test func `a QR code has the same modules as one from another program`() throws {
    let code = try Self.code("http://192.168.4.1:8080/")
    let rows = (0..<code.size).map { row in
      (0..<code.size).map { code.isDark(row: row, column: $0) ? "#" : "." }.joined()
    }
    #expect(rows.joined(separator: "\n") == Self.known)
  }

  @Test(arguments: Text.all)
  func `every drawing shows the code's modules, surrounded by a quiet zone`(_ text: Text)
    throws
  {
    let code = try Self.code("http://trail-1.local:8080/")
    let drawn = DrawnCode(
      code.text(text.drawing, on: text.ground), text.drawing, on: text.ground
    ).isLight
    #expect(drawn.allSatisfy { $0.count == code.size + 8 })
    for (row, line) in drawn.prefix(code.size + 8).enumerated() {
      for (column, isLight) in line.enumerated() {
        #expect(isLight != code.isDark(row: row - 4, column: column - 4))
      }
    }
  }

  @Test func `the ASCII drawing contains only ASCII characters`() throws {
    let code = try Self.code("http://trail-1.local:8080/")
    for ground in [QRCode.Background.dark, .light] {
      #expect(code.text(.ascii, on: ground).utf8.allSatisfy { " #\n".utf8.contains($0) })
    }
  }

  @Test func `the drawing of a page's address fits on a small terminal`() throws {
    let lines = try Self.code("http://192.168.100.100:8080/").text(.blocks, on: .dark)
      .split(separator: "\n")
    #expect(lines.count <= 19)
    #expect(lines.allSatisfy { $0.count <= 37 })
  }

  @Test(arguments: ["", String(repeating: "x", count: 201), String(repeating: "ä", count: 101)])
  func `no QR code is created for text that is empty or too long`(_ text: String) {
    #expect(QRCode(text) == nil)
  }

  @Test func `a missing library is detected as absent, and the QR code library as present`() {
    #expect(unsafe late_is_there("libfootbridge-nothing.so.1") == 0)
    #expect(unsafe late_is_there("libqrencode.so.4") == 1)
  }

  @Test func `all modules outside the code are light`() throws {
    let code = try Self.code("a")
    for place in [-1, code.size, .min, .max] {
      #expect(!code.isDark(row: place, column: 0))
      #expect(!code.isDark(row: 0, column: place))
    }
  }
}
