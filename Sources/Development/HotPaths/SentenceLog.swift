/// One hour of a walk, as logged by a receiver that uses three constellations: nine sentences per
/// second.
public struct SentenceLog: Sendable {
  /// The log's length in seconds. The receiver has a fix in each second.
  public static let seconds = 3_600
  /// The receiver's output.
  public let bytes: [UInt8]
  public let sentences: Int

  public init() {
    var bytes: [UInt8] = []
    var sentences = 0
    for second in 0..<Self.seconds {
      for body in Self.cycle(second) {
        let sum = body.utf8.reduce(0, ^)
        let digits = String(sum, radix: 16, uppercase: true)
        bytes += Array("$\(body)*\(sum < 16 ? "0" : "")\(digits)\r\n".utf8)
        sentences += 1
      }
    }
    self.bytes = bytes
    self.sentences = sentences
  }

  private static func cycle(_ second: Int) -> [String] {
    let time = "09" + pair(second / 60) + pair(second % 60) + ".00"
    let place = "5310.\(10_000 + second),N,00956.\(10_000 + 2 * second),E"
    let signal = 30 + second % 13
    return [
      "GNRMC,\(time),A,\(place),2.700,45.20,040526,,,A,V",
      "GNVTG,45.20,T,,M,2.700,N,5.000,K,A",
      "GNGGA,\(time),\(place),1,10,0.90,121.\(second % 10),M,41.2,M,,",
      "GNGSA,A,3,02,05,11,12,18,,,,,,,,1.60,0.90,1.30,1",
      "GNGSA,A,3,03,08,13,15,,,,,,,,,1.60,0.90,1.30,3",
      "GPGSV,2,1,08,02,60,319,\(signal),05,77,132,38,11,20,100,30,12,10,200,25,1",
      "GPGSV,2,2,08,18,31,047,36,20,07,132,\(signal),25,20,300,30,29,10,260,25,1",
      "GAGSV,1,1,04,03,60,319,36,08,77,132,38,13,20,100,30,15,10,200,\(signal),7",
      "GNGLL,\(place),\(time),A,A",
    ]
  }

  private static func pair(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
