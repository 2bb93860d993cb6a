import Recording
import Storage
import TestSupport
import Testing

@testable import CommandLineTool

@Suite(.computation) struct ComplaintTests {
  @Test func `a recording that stopped is told before the export that failed with it`() throws {
    let stopped = StoreError(.full, "the disk is full", remedy: "free some space")
    let export = Complaint("cannot write walk/samples.csv", remedy: "give another folder")
    let complaint = try #require(Complaint(explainingAll: [stopped, export]))
    #expect(
      complaint.description
        == """
        error: the disk is full
               free some space
               besides: cannot write walk/samples.csv
               give another folder
        """)
    #expect(Complaint(explainingAll: [export])?.description == export.description)
    #expect(Complaint(explainingAll: []) == nil)
  }
}
