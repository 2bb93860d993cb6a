import Sharing
import Recording
import Storage
import TestSupport
import Testing
import Values

@testable import CommandLineTool
@testable import Terminal

@Suite(.computation) struct ComplaintTests {
  @Test func `the error that ended a recording is reported before the failed export`() throws {
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

  private struct Unlisted: Remediable {
    var message = "the lamp is dark"
    var remedy = "turn its screw"
  }

  @Test(
    arguments: [
      Unlisted(), BrokerFailure("no broker", remedy: "start it"),
      OutputError.unread, StoreError(.full, "no room", remedy: "make some"),
    ] as [any Remediable])
  func `the remedy is shown for every type of error that has one`(_ error: any Remediable) {
    let complaint = Complaint(explaining: error)
    #expect(complaint.message == error.message && complaint.remedy == error.remedy)
    #expect(!complaint.remedy.isEmpty && "\(error)" == error.message)
  }
}
