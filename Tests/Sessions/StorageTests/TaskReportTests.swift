import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// Tasks that several programs begin and end in one store.
@Suite(.computation) struct TaskReportTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }
  private let session = SampleRecording.session.id
  private static let report = UniqueID(high: 5, low: 6)

  init() throws {
    folder = try TemporaryFolder()
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    try store.close()
  }

  private func at(_ seconds: Double) -> BootTime {
    SampleRecording.session.start.advanced(bySeconds: seconds)
  }

  private func turns() throws -> [TaskTurn] {
    try TaskLog(StoreReader(path: path).events(of: session), until: nil).turns
  }

  @Test func `a change that is sent twice is applied once, even if the task has since ended`()
    throws
  {
    let begin = TaskChange.begin("tug")
    for _ in 0..<2 {
      #expect(
        try TaskReport.note(begin, in: session, at: at(1), id: Self.report, path) == .stored)
    }
    try TaskReport.note(.end(nil, stoppedBecause: nil), in: session, at: at(9), path)
    #expect(try TaskReport.note(begin, in: session, at: at(1), id: Self.report, path) == .stored)
    #expect(
      try TaskReport.note(.begin("walk"), in: session, at: at(1), id: Self.report, path) == .other)
    let turns = try turns()
    #expect(turns.map(\.task) == ["tug"] && turns.map(\.outcome) == [.done])
  }

  @Test func `a conflicting change stores nothing, and can be sent again after the conflict`()
    throws
  {
    try TaskReport.note(.begin("tug"), in: session, at: at(1), path)
    let conflict = #expect(throws: TaskConflict.self) {
      try TaskReport.note(.begin("walk"), in: session, at: at(4), id: Self.report, path)
    }
    #expect(conflict?.message == "task 'tug' is running")
    try TaskReport.note(.end("tug", stoppedBecause: "pain"), in: session, at: at(5), path)
    #expect(
      try TaskReport.note(.begin("walk"), in: session, at: at(6), id: Self.report, path) == .stored)
    let turns = try turns()
    #expect(turns.map(\.outcome) == [.stopped, nil] && turns[0].reason == "pain")
    #expect(throws: StoreError.self) {
      try TaskReport.note(.begin("tug"), in: UniqueID(high: 9, low: 9), at: at(1), path)
    }
  }
}
