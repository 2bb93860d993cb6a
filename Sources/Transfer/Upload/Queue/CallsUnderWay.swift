internal import Values

/// The calls to the destination that have not returned yet, by number.
struct CallsUnderWay {
  /// A call's items and its start time.
  enum Call {
    case chunks([UploadQueue.Item], since: BootTime)
    case record(UploadQueue.SessionItem, since: BootTime)
  }

  private var calls: [Int: Call] = [:]
  private var next = 1

  var isEmpty: Bool { calls.isEmpty }
  var count: Int { calls.count }

  /// The chunks that the calls are sending.
  var chunks: [UniqueID] {
    var ids: [UniqueID] = []
    for case .chunks(let batch, _) in calls.values { ids += batch.map(\.id) }
    return ids
  }

  /// The sessions whose records the calls are sending.
  var records: [UniqueID] {
    var ids: [UniqueID] = []
    for case .record(let item, _) in calls.values { ids.append(item.id) }
    return ids
  }

  /// Registers a call and returns its number.
  mutating func begin(_ call: Call) -> Int {
    defer { next += 1 }
    calls[next] = call
    return next
  }

  /// Returns `nil` if no call with this number is in progress.
  mutating func end(_ number: Int) -> Call? { calls.removeValue(forKey: number) }
}
