import Foundation
import Values

/// MQTT messages in the gateways' format, each valid for a given number of seconds.
enum LiveMessages {
  static func status(_ state: String, for seconds: Double = 60) -> String {
    let now = Date()
    func text(_ date: Date) -> String {
      UTCTime(nanoseconds: Int64(date.timeIntervalSince1970 * 1e9)).iso8601(decimals: 3)
    }
    return #"{"format":1,"state":"\#(state)","works":true,"version":"1","boards":[],"#
      + #""waiting_chunks":0,"sent":"\#(text(now))","expires":"\#(text(now + seconds))","#
      + #""clock_synchronised":true}"#
  }

  static func location(
    _ latitude: Double, _ longitude: Double = 16, for seconds: Double = 60
  ) -> String {
    status("x", for: seconds).replacingOccurrences(
      of: #""state":"x","works":true,"version":"1","boards":[],"waiting_chunks":0"#,
      with:
        #""time":"2026-11-26T08:00:00Z","latitude":\#(latitude),"longitude":\#(longitude),"#
        + #""sharing":"exact""#)
  }
}
