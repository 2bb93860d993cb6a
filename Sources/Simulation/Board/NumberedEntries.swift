/// A board's resources, sorted by number.
///
/// With a dictionary, the keys would have to be sorted for each sample, and an entry copied to read
/// one of its members.
struct NumberedEntries<Entry: Sendable>: Sendable, ExpressibleByDictionaryLiteral {
  private(set) var numbers: [UInt8] = []
  private(set) var values: [Entry] = []

  init(dictionaryLiteral elements: (UInt8, Entry)...) {
    for (number, entry) in elements { self[number] = entry }
  }

  var isEmpty: Bool { numbers.isEmpty }

  subscript(number: UInt8) -> Entry? {
    get { numbers.firstIndex(of: number).map { values[$0] } }
    set {
      let place = numbers.firstIndex { $0 >= number } ?? numbers.count
      let isThere = place < numbers.count && numbers[place] == number
      switch (isThere, newValue) {
      case (true, let entry?): values[place] = entry
      case (false, let entry?):
        numbers.insert(number, at: place)
        values.insert(entry, at: place)
      case (true, nil):
        numbers.remove(at: place)
        values.remove(at: place)
      case (false, nil): break
      }
    }
  }

  /// Accesses the entry at an index without copying it.
  subscript(at place: Int) -> Entry {
    _read { yield values[place] }
    _modify { yield &values[place] }
  }

  /// Returns `true` if the entry existed.
  mutating func remove(_ number: UInt8) -> Bool {
    guard numbers.contains(number) else { return false }
    self[number] = nil
    return true
  }

  func freeNumber(below maximum: Int) -> UInt8? {
    (0..<UInt8(maximum)).first { !numbers.contains($0) }
  }

  /// Returns the index of the first entry after `number`, or of the very first entry if `number` is
  /// `nil`. Entries that are removed during a traversal are skipped.
  func place(after number: UInt8?) -> Int? {
    guard let number else { return numbers.isEmpty ? nil : 0 }
    return numbers.firstIndex { $0 > number }
  }
}
