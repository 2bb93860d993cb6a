internal import Values

/// The latest value of each topic on its way to a broker, never a queue: a later value replaces one
/// of its topic that still waits.
struct LatestValues: Sendable {
  private struct Value: Sendable {
    var payload: [UInt8]
    /// The number under which it is being sent; `nil` while it waits.
    var number: Int32?
    var since = BootTime(nanoseconds: 0)
    /// Whether a later value waits for the answer to this one.
    var next: [UInt8]?
  }

  /// The most values under way at a time.
  static let mostUnderWay = 20

  private var values: [String: Value] = [:]
  /// Topics whose values wait, in the order in which they began to wait.
  private var waiting: [String] = []
  private var underWay: [Int32: String] = [:]

  /// Whether the broker has received all values.
  var isEmpty: Bool { values.isEmpty }

  /// Adds a value, or replaces the one of this topic that waits.
  mutating func put(_ payload: [UInt8], on topic: String) {
    if values[topic]?.number != nil {
      values[topic]?.next = payload
    } else if values.updateValue(Value(payload: payload), forKey: topic) == nil {
      waiting.append(topic)
    }
  }

  /// The value to send next; `nil` if none waits or enough are under way.
  var next: (topic: String, payload: [UInt8])? {
    guard underWay.count < Self.mostUnderWay, let topic = waiting.first else { return nil }
    return values[topic].map { (topic, $0.payload) }
  }

  /// Notes that `next` is being sent under this number.
  mutating func sent(as number: Int32, at now: BootTime) {
    let topic = waiting.removeFirst()
    values[topic]?.number = number
    values[topic]?.since = now
    underWay[number] = topic
  }

  /// Notes that the broker has received the value with this number.
  mutating func arrived(_ number: Int32) {
    guard let topic = underWay.removeValue(forKey: number) else { return }
    guard let next = values.removeValue(forKey: topic)?.next else { return }
    put(next, on: topic)
  }

  /// Notes that the connection was lost: values under way wait again.
  mutating func connectionLost() {
    for topic in underWay.values.sorted() {
      guard let value = values.removeValue(forKey: topic) else { continue }
      put(value.next ?? value.payload, on: topic)
    }
    underWay = [:]
  }

  /// The time since which the oldest value has waited for its acknowledgement.
  var oldest: BootTime? {
    underWay.values.compactMap { values[$0]?.since }.min()
  }
}
