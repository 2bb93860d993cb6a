internal import Recording
internal import Values

/// Formats interpolated values as rows of the table that contains all streams.
struct TableRows: InstantRows {
  static let havePositions = true

  private let columns: TableColumns
  /// The number of axes of each stream, and the form of its values. If this were the whole
  /// description, it would be copied for every field.
  private let forms: [(axisCount: Int, rawForm: StreamDescription.RawForm)]
  private var moments: MomentWriter

  init(_ streams: [SourceStream], _ moments: MomentWriter) {
    forms = streams.map { ($0.description.axisCount, $0.description.rawForm) }
    columns = TableColumns(streams)
    self.moments = moments
  }

  var rowSize: Int { columns.rowSize }

  func heading(rate: Double) -> String { columns.header }

  mutating func append(
    at time: BootTime, _ position: PositionLookup, _ states: [Resampler.State],
    to buffer: inout TextBuffer
  ) {
    moments.append(fieldsOf: time, to: &buffer)
    for (index, state) in states.enumerated() {
      switch state {
      case .absent: buffer.append(columns.empty[index])
      case .lost: buffer.append(columns.lost[index])
      case .values(let values):
        for axis in 0..<forms[index].axisCount {
          buffer.appendComma()
          switch forms[index].rawForm {
          case .integer: buffer.append(values[axis], decimals: 6)
          // An interpolated value has as many digits as the samples of the board.
          case .float: buffer.append(exactly: Double(Float(values[axis])))
          }
        }
      }
    }
    moments.append(fieldsOf: position, to: &buffer)
    buffer.append(UInt8(ascii: "\n"))
  }
}
