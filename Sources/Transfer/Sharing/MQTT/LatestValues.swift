internal import Values

/// For each topic, stores the latest value that the broker has not received yet. This is not a
/// queue: a later value replaces an unsent one on the same topic.
struct LatestValues: Sendable {
  private struct Value: Sendable {
    var payload: [UInt8]
    /// The number of the message that contains the value; `nil` until the value is sent.
    var number: Int32?
    var since = BootTime(nanoseconds: 0)
    /// A later value on the same topic, if there is one. It waits until this value is acknowledged.
    var next: [UInt8]?
  }

  /// The maximum number of unacknowledged values.
  static let mostUnderWay = 20

  private var values: [String: Value] = [:]
  /// Topics whose values are waiting to be sent, longest-waiting first.
  private var waiting: [String] = []
  private var underWay: [Int32: String] = [:]

  /// Whether the broker has received all values.
  var isEmpty: Bool { values.isEmpty }

  /// Replaces the value that is waiting on the same topic, if any.
  mutating func put(_ payload: [UInt8], on topic: String) {
    if values[topic]?.number != nil {
      values[topic]?.next = payload
    } else if values.updateValue(Value(payload: payload), forKey: topic) == nil {
      waiting.append(topic)
    }
  }

  /// The value to send next; `nil` if no value is waiting or too many are unacknowledged.
  var next: (topic: String, payload: [UInt8])? {
    guard underWay.count < Self.mostUnderWay, let topic = waiting.first else { return nil }
    return values[topic].map { (topic, $0.payload) }
  }

  /// Records that the value in `next` is being sent as the message with the given number.
  mutating func sent(as number: Int32, at now: BootTime) {
    let topic = waiting.removeFirst()
    values[topic]?.number = number
    values[topic]?.since = now
    underWay[number] = topic
  }

  /// Records that the broker has received the value with the given number.
  mutating func arrived(_ number: Int32) {
    guard let topic = underWay.removeValue(forKey: number) else { return }
    guard let next = values.removeValue(forKey: topic)?.next else { return }
    put(next, on: topic)
  }

  /// Records that the connection was lost. The unacknowledged values must be sent again.
  mutating func connectionLost() {
    for topic in underWay.values.sorted() {
      guard let value = values.removeValue(forKey: topic) else { continue }
      put(value.next ?? value.payload, on: topic)
    }
    underWay = [:]
  }

  /// The time at which the oldest unacknowledged value was sent.
  var oldest: BootTime? {
    underWay.values.compactMap { values[$0]?.since }.min()
  }
}
