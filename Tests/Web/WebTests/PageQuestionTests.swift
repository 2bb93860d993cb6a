import HTTPServer
import TestSupport
import Testing
import Values
@testable import Web

/// Paths and bodies of requests to the API, and the queries that are parsed from them.
@Suite(.computation) struct PageQuestionTests {
  private static let id = UniqueID(high: 0x496001c780a44cd8, low: 0xb8a4f282b76f2bfa)
  private static let board = BoardAddress(value: 0xC84B_AA97_5005)

  struct Look: Sendable {
    var path: String
    var query: [RequestHead.Field] = []
    var question: PageQuestion
  }

  private static func fields(_ pairs: KeyValuePairs<String, String>) -> [RequestHead.Field] {
    pairs.map { RequestHead.Field($0.key, $0.value) }
  }

  static let looks: [Look] = [
    Look(path: "/api/v1/sessions", question: .sessions(newest: nil)),
    Look(
      path: "/api/v1/sessions", query: fields(["newest": "3"]), question: .sessions(newest: 3)),
    Look(path: "/api/v1/sessions/\(id)", question: .session(id)),
    Look(
      path: "/api/v1/sessions/496001c780a44cd8b8a4f282b76f2bfa/track",
      question: .track(id, points: 2_000)),
    Look(
      path: "/api/v1/sessions/\(id)/envelope",
      query: fields([
        "board": "C8:4B:AA:97:50:05", "signal": "acceleration", "from": "-1.5", "to": "3600",
        "columns": "600",
      ]),
      question: .envelope(
        id,
        .init(board: board, signal: "acceleration", from: -1.5, to: 3_600, columns: 600))),
    Look(
      path: "/api/v1/sessions/\(id)/export", query: fields(["format": "csv"]),
      question: .export(id, format: "csv")),
    Look(
      path: "/api/v1/sessions/\(id)", query: fields(["gateway": "\(id)"]),
      question: .ofGateway(id, .session(id))),
    Look(path: "/api/v1/hazards", query: fields(["gateway": "x"]), question: .hazardNames),
    Look(path: "/api/v1/hazards", question: .hazardNames),
    Look(path: "/api/v1/sessions/\(id)/tasks", question: .tasks(id)),
    Look(path: "/api/v1/formats", question: .formats),
    Look(path: "/api/v1/others", question: .others),
    Look(path: "/tiles", question: .tiles),
    Look(path: "/tiles/3/7/0", question: .tile(zoom: 3, column: 7, row: 0)),
  ]

  @Test(arguments: looks) func `each API path is parsed into its query`(look: Look) throws {
    let head = RequestHead("GET", look.path, query: look.query)
    #expect(try PageQuestion(head, body: []) == look.question)
    #expect(!look.question.isCommand)
  }

  @Test(arguments: [
    ("/api/v1/", [:], 404), ("/api/v1/nothing", [:], 404), ("/api/v1/sessions/last", [:], 404),
    ("/api/v1/sessions/../status", [:], 404), ("/api/v1/sessions/\(id)/nothing", [:], 404),
    ("/api/v1/sessions/\(id)/", [:], 404), ("/api/v1/sessions", ["newest": "0"], 400),
    ("/api/v1/sessions/\(id)/export", [:], 400), ("/api/v1/sessions/\(id)/envelope", [:], 400),
    ("/api/v1/sessions/\(id)/track", ["points": "1"], 400),
    ("/api/v1/sessions/\(id)/track", ["gateway": "x"], 400), ("/tiles/3/8/0", [:], 404),
    ("/tiles/3/-1/0", [:], 404), ("/tiles/31/0/0", [:], 404), ("/tiles/a/b/c", [:], 404),
    ("/tiles/1/0/0/0", [:], 404),
  ])
  func `an unknown path or an invalid parameter is rejected`(
    path: String, query: [String: String], status: Int
  ) {
    let head = RequestHead(
      "GET", path, query: query.map { RequestHead.Field($0.key, $0.value) })
    let fault = #expect(throws: PageFault.self) { try PageQuestion(head, body: []) }
    #expect(fault?.status == status)
  }

  @Test(arguments: [
    ("from", "x"), ("from", "nan"), ("from", "0x10"), ("from", "3600"), ("to", "1e300"),
    ("columns", "0"),
    ("columns", "2001"), ("board", "left"),
  ])
  func `an invalid time range, number of columns or board is rejected`(name: String, value: String)
  {
    var query = [
      "board": "C8:4B:AA:97:50:05", "signal": "acceleration", "from": "0", "to": "3600",
    ]
    query[name] = value
    let head = RequestHead(
      "GET", "/api/v1/sessions/\(Self.id)/envelope",
      query: query.map { RequestHead.Field($0.key, $0.value) })
    let fault = #expect(throws: PageFault.self) { try PageQuestion(head, body: []) }
    #expect(fault?.status == 400)
  }

  private func command(_ path: String, _ body: String) throws -> PageQuestion {
    try PageQuestion(RequestHead("POST", "/api/v1/\(path)"), body: Array(body.utf8))
  }

  @Test func `a command is parsed with all its fields`() throws {
    for recording in PageQuestion.RecordingCommand.allCases {
      #expect(
        try command("recording", #"{"command":"\#(recording)"}"#)
          == .record(recording, until: nil))
    }
    let clock = #"{"boot":"\#(Self.id)","seconds":12.5}"#
    let instant = PageQuestion.Instant(boot: Self.id, seconds: 12.5)
    #expect(
      try command("recording", #"{"command":"stop","until":\#(clock)}"#)
        == .record(.stop, until: instant))
    let report = UniqueID(high: 1, low: 2)
    #expect(
      try command(
        "sessions/current/notes", #"{"id":"\#(report)","text":"a","ago":1,"sent":\#(clock)}"#)
        == .note(
          .init(
            id: report, content: .text("a", insteadOf: nil), time: .ago(1, sent: instant)),
          session: nil))
    #expect(
      try command(
        "sessions/current/hazards",
        #"{"id":"\#(report)","name":"Slippery","intensity":2,"ago":3.25}"#)
        == .note(
          .init(
            id: report, content: .hazard(name: "Slippery", intensity: 2),
            time: .ago(3.25, sent: nil)),
          session: nil))
    #expect(
      try command(
        "sessions/\(Self.id)/notes", #"{"id":"\#(report)","text":"traffic light","at":80}"#)
        == .note(
          .init(id: report, content: .text("traffic light", insteadOf: nil), time: .at(80)),
          session: Self.id))
    typealias Action = PageQuestion.Remark.TaskAction
    for (members, content) in [
      (#""action":"begin","task":"tug""#, (Action.begin, "tug", "")),
      (#""action":"end""#, (.end(isEarly: false), nil, "")),
      (#""action":"end","task":"tug","outcome":"done""#, (.end(isEarly: false), "tug", "")),
      (#""action":"end","outcome":"stopped","reason":"pain""#, (.end(isEarly: true), nil, "pain")),
      (#""action":"skip","task":"tug","reason":"rain""#, (.skip, "tug", "rain")),
    ] as [(String, (Action, String?, String))] {
      #expect(
        try command("sessions/current/tasks", #"{"id":"\#(report)","ago":1,\#(members)}"#)
          == .note(
            .init(
              id: report, content: .task(content.0, task: content.1, reason: content.2),
              time: .ago(1, sent: nil)), session: nil))
    }
    let answers = #""hazards":"none","answers":{"mood":"good"}"#
    #expect(
      try command("sessions/\(Self.id)/survey", #"{"id":"\#(report)","ago":1,"x":2,\#(answers)}"#)
        == .note(
          .init(
            id: report, content: .report(JSON(parsing: Array("{\(answers)}".utf8))),
            time: .ago(1, sent: nil)), session: Self.id))
    for text in ["gate", ""] {
      #expect(
        try command(
          "sessions/\(Self.id)/notes",
          #"{"id":"\#(report)","text":" \#(text) ","at":80,"insteadOf":"gat"}"#)
          == .note(
            .init(id: report, content: .text(text, insteadOf: "gat"), time: .at(80)),
            session: Self.id))
    }
    #expect(
      try command("sessions/\(Self.id)/edit", #"{"wearer":"P07","note":""}"#)
        == .edit(Self.id, wearer: "P07", note: ""))
    let other = BoardAddress(value: 0xC84B_AA98_5108)
    #expect(
      try command("sessions/\(Self.id)/edit", #"{"swap":["\#(Self.board)","\#(other)"]}"#)
        == .edit(Self.id, wearer: nil, note: nil, swap: [Self.board, other]))
    let delete = try command("sessions/\(Self.id)/delete", #"{"confirm":"\#(Self.id)"}"#)
    #expect(delete == .delete(Self.id) && delete.isCommand)
  }

  @Test(arguments: [
    ("recording", "{}"), ("recording", #"{"command":"explode"}"#), ("recording", "[]"),
    ("recording", #"{"command":"stop","until":7}"#),
    ("recording", #"{"command":"stop","until":{"boot":"x","seconds":1}}"#),
    ("sessions/current/notes", #"{"id":"ID","text":"a","ago":0,"sent":{"seconds":1}}"#),
    ("recording", ""), ("recording", #"{"command":"start""#),
    ("sessions/current/tasks", #"{"id":"ID","ago":0,"action":"begin"}"#),
    ("sessions/current/tasks", #"{"id":"ID","ago":0,"action":"pause","task":"tug"}"#),
    ("sessions/current/tasks", #"{"id":"ID","ago":0,"action":"end","outcome":"skipped"}"#),
    ("sessions/current/tasks", #"{"id":"ID","ago":0,"action":"skip","task":"a","reason":"a\nb"}"#),
    ("sessions/current/hazards", #"{"name":"Slippery","intensity":2,"ago":0}"#),
    ("sessions/current/hazards", #"{"id":"1","name":"Slippery","intensity":2,"ago":0}"#),
    ("sessions/current/hazards", #"{"id":"ID","name":"Slippery","intensity":4,"ago":0}"#),
    ("sessions/current/hazards", #"{"id":"ID","name":"Slippery","intensity":1.5,"ago":0}"#),
    ("sessions/current/hazards", #"{"id":"ID","name":"","intensity":1,"ago":0}"#),
    ("sessions/current/hazards", #"{"id":"ID","name":"a\nb","intensity":1,"ago":0}"#),
    ("sessions/current/hazards", #"{"id":"ID","name":" \u00a0","intensity":1,"ago":0}"#),
    ("sessions/current/hazards", #"{"id":"ID","name":"\u200b\ufeff","intensity":1,"ago":0}"#),
    ("sessions/current/notes", #"{"id":"ID","text":"\ufeff","ago":0}"#),
    ("sessions/current/hazards", #"{"id":"ID","name":"a\u202eb","intensity":1,"ago":0}"#),
    ("sessions/current/hazards", #"{"id":"ID","name":"Slope","intensity":1}"#),
    ("sessions/current/hazards", #"{"id":"ID","name":"Slope","intensity":1,"ago":-1}"#),
    ("sessions/current/hazards", #"{"id":"ID","name":"Slope","intensity":1,"ago":1,"at":1}"#),
    ("sessions/current/notes", #"{"id":"ID","text":"","ago":0}"#),
    ("sessions/current/notes", #"{"id":"ID","text":"a","ago":0,"insteadOf":"b"}"#),
    ("sessions/current/notes", #"{"id":"ID","at":0,"insteadOf":"b"}"#),
    ("sessions/current/notes", #"{"id":"ID","text":"a","at":0,"insteadOf":7}"#),
    ("sessions/SESSION/edit", #"{"swap":["C8:4B:AA:97:50:05"]}"#),
    ("sessions/SESSION/edit", #"{"swap":["C8:4B:AA:97:50:05","C8:4B:AA:97:50:05"]}"#),
    ("sessions/SESSION/edit", #"{"swap":["C8:4B:AA:97:50:05","left"]}"#),
    ("sessions/SESSION/edit", #"{"swap":7}"#), ("sessions/SESSION/edit", "{}"),
    ("sessions/SESSION/edit", #"{"wearer":7}"#),
    ("sessions/SESSION/delete", "{}"), ("sessions/SESSION/delete", #"{"confirm":"yes"}"#),
  ])
  func `a command with an invalid field is rejected`(path: String, body: String) {
    let path = path.replacing("SESSION", with: "\(Self.id)")
    let body = body.replacing("ID", with: "\(UniqueID(high: 1, low: 2))")
    let fault = #expect(throws: PageFault.self) { try command(path, body) }
    #expect(fault?.status == 400)
  }

  @Test func `text up to the maximum length is accepted, and longer text is rejected`() throws {
    let longest = String(repeating: "é", count: LineOfText.longest)
    let id = UniqueID(high: 1, low: 2)
    _ = try command(
      "sessions/current/notes", #"{"id":"\#(id)","text":"\#(longest)","ago":0}"#)
    let fault = #expect(throws: PageFault.self) {
      try command("sessions/current/notes", #"{"id":"\#(id)","text":"\#(longest)é","ago":0}"#)
    }
    #expect(fault?.status == 400)
  }

  @Test func `text that changes the writing direction is rejected`() {
    #expect(!LineOfText.isFit("a\u{202e}b", upTo: 10))
    #expect(!LineOfText.isFit("a\u{2067}b", upTo: 10) && !LineOfText.isFit("a\tb", upTo: 10))
    #expect(LineOfText.isFit("a\u{200f}\u{200d}ü", upTo: 10))
  }
}
