internal import Values

extension AuditedRecording {
  /// The file's own findings, except an unexplained rate that a hidden loss explains.
  func findings(of place: Int) -> [AuditFinding] {
    let isExplained = losses.contains { $0.file == place }
    return files[place].findings.compactMap { finding in
      if isExplained, finding.text == files[place].unexplained { return nil }
      return AuditFinding(finding.kind, labels[place], finding.text)
    }
  }

  /// The findings that follow from several files, and the facts that cannot be known.
  var commonFindings: [AuditFinding] {
    var found: [AuditFinding] = []
    // Row counts can be compared only between motion sensors.
    for comparison in comparisons
    where comparison.rows == 0
      || [comparison.first, comparison.second].allSatisfy({ files[$0].signals.kind != .other })
    {
      found.append(AuditFinding(.countDifference, nil, text(comparison)))
    }
    found += losses.map { AuditFinding(.hiddenLoss, labels[$0.file], text($0)) }
    found += files.indices.compactMap { rate($0) }
    if boards > 1, files.contains(where: { $0.times.origin.mayBeComputed }) {
      found.append(
        AuditFinding(
          .unknown, nil,
          "the drift between the \(boards) boards is unknown: each has its own clock, which computed "
            + "times do not show; a difference between their rows can be drift or loss"))
    }
    return found
  }

  /// The minimum number of boards, from their addresses and because a board has only one sensor of
  /// each kind.
  private var boards: Int {
    let addresses = Set(files.compactMap(\.name.board)).count
    let subjects = files.filter { $0.problem == nil && $0.name.board == nil }.map(\.subject)
    return max(addresses, subjects.map { one in subjects.count { $0 == one } }.max() ?? 0)
  }

  private func text(_ comparison: Comparison) -> String {
    let (one, two) = (labels[comparison.first], labels[comparison.second])
    let difference =
      switch comparison.rows {
      case 0: "\(one) and \(two) contain the same number of rows"
      case ..<0: "\(one) contains \(NumberText.count(-comparison.rows, "row")) fewer than \(two)"
      default: "\(one) contains \(NumberText.count(comparison.rows, "row")) more than \(two)"
      }
    return difference + "; it starts \(Self.order(comparison.start)) and ends "
      + Self.order(comparison.end)
  }

  private static func order(_ difference: Int64) -> String {
    guard difference != 0 else { return "at the same time" }
    return AuditText.duration(difference.magnitude) + (difference < 0 ? " earlier" : " later")
  }

  private func text(_ loss: HiddenLoss) -> String {
    let file = files[loss.file]
    let share = 100 * Double(loss.rows) / Double(loss.rows + file.rows + file.times.missing)
    let reference = labels[loss.reference]
    if !file.times.origin.mayBeComputed {
      return "about \(NumberText.count(loss.rows, "row")) are missing at the end (± "
        + "\(loss.uncertainty)), if both stopped together: \(reference) ends later"
    }
    let reason =
      if loss.reference == loss.file {
        "the rows do not fill the time at the set rate"
          + (companions(of: loss.file).first.map { ", as those of \(labels[$0]) do" } ?? "")
      } else if files[loss.reference].signals.kind == .other {
        "\(reference) covers more time than these rows at the set rate, if both stopped together"
      } else {
        "\(reference) covers more time than these rows at the set rates, if both stopped together"
      }
    return "about \(NumberText.count(loss.rows, "row")) are missing (± \(loss.uncertainty), "
      + "\(NumberText.fixed(share, decimals: 1)) %), although the times show no gap there: \(reason)"
  }

  private func rate(_ place: Int) -> AuditFinding? {
    let file = files[place]
    // Other findings say that a file is too short, or that its rate has two explanations.
    guard file.problem == nil, file.rows > 2, file.explainsRate else { return nil }
    let subject = labels[place]
    guard let rate = rates[place] else {
      let reason =
        if losses.contains(where: { $0.file == place }) {
          "rows may be missing"
        } else if file.times.jumpCount > 0 || !file.isOrdered {
          "rows are repeated or out of order, or another epoch begins"
        } else if file.times.origin == .arrival {
          "the times are those of packets"
        } else if file.times.origin == .unknown {
          "there are too few rows to tell whether the times were measured"
        } else if file.name.board == nil {
          "its times may be computed, and its board is not stated, so that no other sensor's clock "
            + "can be used"
        } else {
          "its times may be computed, and no other sensor of the board with measured times started "
            + "with it"
        }
      return AuditFinding(
        .unknown, subject,
        "the true rate is unknown, and so are losses that all sensors share: \(reason)")
    }
    guard rate.reference != place else { return nil }
    let other = labels[rate.reference]
    let text =
      "true rate \(rate.text) Hz by the clock of \(other), if both "
      + "stopped together and no rows are missing"
    // The times follow the rate between gaps, so they drift if the true rate is different.
    guard let shown = file.times.hertzBetweenGaps, !losses.contains(where: { $0.file == place }),
      abs(shown - rate.hertz) > rate.uncertainty
    else { return AuditFinding(.trueRate, subject, text) }
    let percent = 100 * (shown / rate.hertz - 1)
    let seconds = Double(file.times.span) / 1e6 * abs(percent) / 100
    return AuditFinding(
      .drift, subject,
      "\(text): its times drift against \(other) by \(NumberText.fixed(abs(percent), decimals: 2)) "
        + "%, or \(NumberText.fixed(seconds, decimals: 2)) s in all")
  }
}
