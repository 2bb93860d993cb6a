internal import Values

/// The calls to the destination that have no answer yet, by their numbers.
struct CallsUnderWay {
  /// The content of a call, and its start.
  enum Call {
    case chunks([UploadQueue.Item], since: BootTime)
    case record(UploadQueue.SessionItem, since: BootTime)
  }

  private var calls: [Int: Call] = [:]
  private var next = 1

  var isEmpty: Bool { calls.isEmpty }
  var count: Int { calls.count }

  /// Chunks under way.
  var chunks: [UniqueID] {
    var ids: [UniqueID] = []
    for case .chunks(let batch, _) in calls.values { ids += batch.map(\.id) }
    return ids
  }

  /// Sessions whose record is under way.
  var records: [UniqueID] {
    var ids: [UniqueID] = []
    for case .record(let item, _) in calls.values { ids.append(item.id) }
    return ids
  }

  /// Begins a call and returns its number.
  mutating func begin(_ call: Call) -> Int {
    defer { next += 1 }
    calls[next] = call
    return next
  }

  /// Ends a call and returns it; `nil` for a number that is not under way.
  mutating func end(_ number: Int) -> Call? { calls.removeValue(forKey: number) }
}
