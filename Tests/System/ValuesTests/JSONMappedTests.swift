import TestSupport
import Testing
import Values

/// A type with one member of each supported kind.
private struct Walk: Hashable, JSONMapped {
  enum State: String, Hashable, CaseIterable, JSONReadable { case under, over }
  enum Reason: Hashable, CaseIterable, JSONKey {
    case link, store
    var name: String { self == .link ? "link" : "store" }
  }
  struct Place: Hashable, JSONMapped {
    var name: String
    var height: Double?

    static var blank: Self { Self(name: "") }
    static var members: [JSONMember<Self>] {
      [.needed("name", \.name), .rounded("height", \.height, decimals: 1)]
    }
  }

  var id: UniqueID
  var state = State.under
  var isKept = true
  var steps = 0
  var bytes: UInt64 = 0
  var charge: Int?
  var rate = 0.0
  var seconds = 0.0
  var lost: [Reason: UInt64] = [:]
  var start: Place?
  var places: [Place] = []

  static var blank: Self { Self(id: UniqueID(high: 0, low: 0)) }
  static var members: [JSONMember<Self>] {
    [
      .needed("id", \.id), .value("state", \.state), .value("isKept", \.isKept),
      .value("steps", \.steps), .value("bytes", \.bytes), .value("charge", \.charge),
      .shown("isCharged") { ($0.charge ?? 0) > 50 }, .value("rate", \.rate),
      .rounded("seconds", \.seconds), .value("lost", \.lost), .value("start", \.start),
      .value("places", \.places),
    ]
  }
}

/// A type that requires no members.
private struct Pause: Hashable, JSONMapped {
  var seconds = 0.0

  static var blank: Self { Self() }
  static var members: [JSONMember<Self>] { [.rounded("seconds", \.seconds)] }
}

/// A type that requires a number.
private struct Hold: Hashable, JSONMapped {
  var lead = 0.0

  static var blank: Self { Self() }
  static var members: [JSONMember<Self>] { [.rounded("lead", \.lead, isNeeded: true)] }
}

extension Walk {
  private static let id = UniqueID(high: 1, low: 2)

  fileprivate init?(_ members: String) throws {
    let text = "{\"id\":\"\(Self.id)\",\(members)}"
    self.init(json: try JSON(parsing: Array(text.utf8)))
  }

  fileprivate static var empty: Walk { Walk(id: id) }

  fileprivate static func random(_ random: inout SeededGenerator) -> Walk {
    func place(_ random: inout SeededGenerator) -> Place {
      Place(
        name: String("\"\\\n\u{1}ä🌉/ ".shuffled(using: &random)),
        height: Bool.random(using: &random)
          ? Double.random(in: -1e3...1e3, using: &random).rounded() : nil)
    }
    return Walk(
      id: UniqueID(high: random.next(), low: random.next()),
      state: Bool.random(using: &random) ? .under : .over, isKept: .random(using: &random),
      steps: Int.random(in: -(1 << 53)...(1 << 53), using: &random),
      bytes: UInt64.random(in: 0...(1 << 53), using: &random),
      charge: Bool.random(using: &random) ? Int.random(in: 0...100, using: &random) : nil,
      rate: Double.random(in: -1e9...1e9, using: &random),
      seconds: Double(Int.random(in: 0...1_000_000, using: &random)) / 1_000,
      lost: Bool.random(using: &random) ? [.store: random.next() >> 11, .link: 1] : [:],
      start: Bool.random(using: &random) ? place(&random) : nil,
      places: (0..<Int.random(in: 0...3, using: &random)).map { _ in place(&random) })
  }
}

@Suite(.computation) struct JSONMappedTests {
  @Test
  func `members are written in the order in which they are listed, and unknown values as null`() {
    var walk = Walk.empty
    walk.seconds = 1.23456
    walk.rate = 12.5
    walk.lost = [.store: 2, .link: 1]
    walk.places = [Walk.Place(name: "a", height: 1.26)]
    #expect(
      walk.json.text == """
        {"id":"\(walk.id)","state":"under","isKept":true,"steps":0,"bytes":0,"charge":null,\
        "isCharged":false,"rate":12.5,"seconds":1.235,"lost":{"link":1,"store":2},"start":null,\
        "places":[{"name":"a","height":1.3}]}
        """)
  }

  @Test func `a value is unchanged after conversion to JSON and back`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let walk = Walk.random(&random)
      #expect(Walk(json: try JSON(parsing: walk.json.bytes)) == walk, "seed \(seed)")
    }
  }

  @Test(arguments: [
    #""steps":1.5"#, #""steps":"1""#, #""steps":1e19"#, #""bytes":-1"#, #""bytes":1e20"#,
    #""state":"flying""#, #""state":1"#, #""isKept":0"#, #""isKept":null"#, #""charge":"full""#,
    #""rate":true"#, #""lost":[1]"#, #""lost":{"air":3,"link":-1}"#, #""start":{}"#,
    #""start":{"height":3}"#, #""places":{}"#, #""places":[1,{}]"#, #""isCharged":true"#,
    #""later":{"a":[1,2]}"#,
  ])
  func `a member that is unknown, null or of another type leaves the value unchanged`(
    _ members: String
  ) throws {
    #expect(try Walk(members) == .empty)
  }

  @Test func `only the elements that this release supports are kept in a list`() throws {
    let walk = try #require(try Walk(#""places":[{"name":"a"},{"title":"b"},{"name":"c"}]"#))
    #expect(walk.places.map(\.name) == ["a", "c"])
  }

  @Test(arguments: ["{}", "[]", "null", "1", #"{"id":null}"#, #"{"id":"x"}"#, #"{"id":1}"#])
  func `an object that lacks a required member is rejected`(_ text: String) throws {
    #expect(Walk(json: try JSON(parsing: Array(text.utf8))) == nil)
  }

  @Test(arguments: ["null", "1", #""a""#, "[]"])
  func `any JSON value that is not an object is rejected, even if the type requires no member`(
    _ text: String
  ) throws {
    let json = try JSON(parsing: Array(text.utf8))
    #expect(Pause(json: json) == nil)
    #expect([Pause](json: .list([json, .object([:])])) == [.blank])
  }

  @Test func `a rounded number can be a required member`() throws {
    #expect(Hold(json: .object([:])) == nil)
    #expect(Hold(json: .object(["lead": .null])) == nil)
    #expect(Hold(json: .object(["lead": .number(2)]))?.json.text == #"{"lead":2}"#)
  }

  @Test
  func `a count beyond Int64.max is written as Int64.max, and a number out of range is rejected`() {
    #expect(UInt64.max.json.text == "9223372036854775807")
    #expect(Int.min.json.text == "-9223372036854775808")
    #expect(UInt64(json: .number(0x1p63)) == 1 << 63)
    #expect(UInt64(json: .number(0x1p64)) == nil)
    #expect(Int(json: .number(0x1p63)) == nil)
    #expect(UInt8(json: .number(256)) == nil)
  }

  @Test(arguments: [
    (2.0, 3, "2"), (0.0005, 3, "0.001"), (-0.04, 1, "-0"), (.nan, 2, "null"),
    (.infinity, 0, "null"), (1234.5678, 0, "1235"), (1234.5678, 7, "1234.5678"),
  ])
  func `numbers are rounded to the given number of decimals`(
    value: Double, decimals: Int, text: String
  ) {
    #expect(value.json(decimals: decimals).text == text)
  }

  @Test func `null members can be omitted from an object`() {
    let none: Double? = nil
    let object = JSONValue.known([.init("a", 1), .init("b", none), .init("c", "")])
    #expect(object.text == #"{"a":1,"c":""}"#)
    #expect(none.json(decimals: 1).text == "null")
  }
}
